import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { onDay } from '../../src/backend/domain/bank-time.ts'
import { seedSandbox } from '../../src/backend/sandbox/seed.ts'
import { bankMigrations } from '../../src/backend/stores/migrations/index.ts'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded-database.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { registryMigrations } from '../../src/registry/migrations/index.ts'
import { until } from './until.ts'

/** What a copied database holds: no tables, or those of registry and bank with the sandbox as it is seeded at `seededAt`. */
export type DatabaseContents = 'empty' | { readonly seededAt: number }

const prefix = 'tollgate-database-'
const pglite = import.meta.resolve('@electric-sql/pglite')
/** What the names of templates of these sources begin with. */
export const currentTemplates = `${prefix}${sources()}-`

/** That of the program's bank and of every test bank. */
const timeZone = 'Asia/Jerusalem'
const log = pino({ level: 'silent' })

// Most embedded databases of tests live for seconds: to optimise their machine code costs more than it saves.
setFlagsFromString('--liftoff-only')

/** Its threads share what is compiled for as long as one of them has it; so this one keeps it. */
let compiled: Promise<object> | undefined
/** Node's types leave it out. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<object> }

/**
 * The folder of a closed embedded database to copy. It is made once per temporary folder, day and state of the sources that
 * fill it.
 */
export async function databaseTemplate(contents: DatabaseContents): Promise<string> {
  compiled ??= WebAssembly.compile(readFileSync(new URL('pglite.wasm', pglite)))
  await compiled
  return madeOnce(
    `${currentTemplates}${nameOfContents(contents)}-${process.getuid?.() ?? 0}`,
    async (folder) => {
      removeOldTemplates()
      const fresh = mkdtempSync(join(tmpdir(), 'tg-'))
      try {
        await make(fresh, contents)
        renameSync(join(fresh, 'database'), folder)
      } finally {
        rmSync(fresh, { recursive: true, force: true })
      }
    },
  )
}

/**
 * A folder of this name among the temporary ones. The first process that needs
 * it has `make` create it, all in one step; the others wait.
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(tmpdir(), name)
  if (existsSync(folder)) return folder
  const claim = `${folder}.maker`
  let isOurs = false
  await until(`${folder} exists, or its maker has ended`, () => {
    if (existsSync(folder)) return true
    isOurs = takeClaim(claim)
    return isOurs
  })
  if (!isOurs) return folder
  try {
    await make(folder)
  } catch (error) {
    // Two made it; the other one is as good.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(claim, { force: true })
  }
  return folder
}

/** Whether this process is the first; the claim of one that has ended is removed, for the next look. */
function takeClaim(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    // Empty, it was claimed this moment; the id 0 stands for this process's group, which runs.
    if (!isRunning(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true })
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The same for contents that are the same. */
export function nameOfContents(contents: DatabaseContents): string {
  return contents === 'empty' ? 'empty' : onDay(contents.seededAt, timeZone)
}

/** Fills an empty database. */
export async function fillDatabase(database: Database, contents: DatabaseContents): Promise<void> {
  if (contents === 'empty') return
  await migrate(database, { name: 'registry', migrations: registryMigrations })
  await migrate(database, { name: 'bank', migrations: bankMigrations })
  await seedSandbox({ database, now: () => contents.seededAt, timeZone })
}

async function make(dataDir: string, contents: DatabaseContents): Promise<void> {
  const embedded = await startEmbeddedDatabase({ dataDir, log })
  const database = openDatabase({ url: embedded.url, log })
  await fillDatabase(database, contents)
  await database.close()
  await embedded.close()
}

/** Those of other sources. Not those of other days: other processes may copy them now. */
export function removeOldTemplates(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(prefix) || name.startsWith(currentTemplates)) continue
    const folder = join(tmpdir(), name)
    const isOld =
      (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < Date.now() - 172_800_000
    if (isOld) rmSync(folder, { recursive: true, force: true })
  }
}

/** A temporary folder can outlive the code that filled a template. */
function sources(): string {
  const root = fileURLToPath(new URL('../../src', import.meta.url))
  const files = globSync(['**/migrations/*', 'backend/sandbox/*.ts', 'backend/domain/*.ts'], {
    cwd: root,
  })
  const hash = createHash('sha256').update(readFileSync(new URL('../package.json', pglite)))
  for (const file of files.sort()) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 12)
}
