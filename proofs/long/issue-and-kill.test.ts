import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import t from 'tap'
import { openDataFolder, readDataFolderSecret } from '../../src/platform/database/data-folder.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded-database.ts'
import { embeddedPepper, parsePeppers } from '../../src/registry/keys/key-mac.ts'
import { openRegistry } from '../../src/registry/open-registry.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import { testDataDir } from '../../test/support/database.ts'
import { createDraw } from '../../test/support/random.ts'
import { proofSeed } from '../size.ts'

const draw = createDraw(proofSeed())
const log = pino({ level: 'silent' })
const program = fileURLToPath(new URL('../support/issue-keys.ts', import.meta.url))

/** Lets a process issue keys, kills it in the middle of that and returns the keys it has shown. */
async function issueAndKill(dataDir: string, after: number, pauseMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const shown: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    // A line that was cut off by the kill was not shown.
    if (line.length === 65) shown.push(line)
  })
  const ended = once(lines, 'close')
  while (shown.length < after && child.exitCode === null) await delay(1)
  await delay(pauseMs)
  child.kill('SIGKILL')
  await ended
  return shown
}

t.test('every key that was shown works after the process that issued it was killed', async (t) => {
  const dataDir = await testDataDir(t)
  const shown: string[] = []
  for (let round = 0; shown.length < 200; round++) {
    // Few enough rounds for a busy machine: each one starts a process with a database.
    const after = 20 + draw(60)
    const pauseMs = draw(15)
    const keys = await issueAndKill(dataDir, after, pauseMs)
    t.ok(keys.length >= after, `round ${round}: killed after ${keys.length} keys`)
    shown.push(...keys)
  }

  const folder = await openDataFolder(dataDir)
  const embedded = await startEmbeddedDatabase({ dataDir: folder.path, log })
  const database = openDatabase({ url: embedded.url, log })
  const registry = await openRegistry({
    database,
    log,
    peppers: parsePeppers((await readDataFolderSecret(dataDir, embeddedPepper.name)) ?? ''),
    keysPerApplication: 10,
    applicationsPerDeveloper: 10,
  })
  t.teardown(async () => {
    await registry.close()
    await database.close()
    await embedded.close()
    await folder.close()
  })
  let lost = 0
  for (const key of shown) {
    let outcome: Authentication = 'unreachable'
    // Says nothing about the key: the machine was busy elsewhere.
    for (let attempt = 0; outcome === 'unreachable' && attempt < 20; attempt++) {
      outcome = await new Promise((resolve) => registry.authenticate(key, resolve))
    }
    if (typeof outcome !== 'object') lost += 1
  }
  t.equal(new Set(shown).size, shown.length)
  t.equal(lost, 0, `0 of ${shown.length} keys lost`)
})
