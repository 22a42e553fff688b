import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ExportReport } from '../platform/database/move/export-rows.ts'
import {
  flushToDisk,
  removeAbandoned,
  unfinishedName,
} from '../platform/database/move/unfinished.ts'
import { codeOf } from '../platform/log/error-code.ts'
import { packageVersion } from '../platform/process/package-version.ts'
import { settingsInForce } from '../platform/settings/settings-in-force.ts'
import { CommandError } from './command-error.ts'
import type { CommandContext } from './context.ts'
import { exportDatabase } from './move-rows.ts'

/** The file `manifest.json` of a backup, written last. */
export interface BackupManifest {
  readonly tollgate: 'backup'
  readonly format: number
  readonly release: string
  /** The instant of the backup, ISO 8601. */
  readonly madeAt: string
  readonly rows: number
  /** What the audit log must still have after a restore. */
  readonly audit: ExportReport['audit']
  /** What the backup should have and has not, with reasons: counts of limits, fingerprints of secrets. */
  readonly missing: readonly string[]
  /** SHA-256 by path in the folder, hexadecimal. */
  readonly files: Readonly<Record<string, string>>
  /** Settings that were set; secrets are hidden. */
  readonly settings: readonly { readonly names: readonly string[]; readonly value: string }[]
}

/** A backup as it was made. */
export interface MadeBackup {
  readonly folder: string
  readonly manifest: BackupManifest
  /** Whether something of `missing` could not be read. */
  readonly hasFailed: boolean
}

/** File name of the export in a backup. */
export const exportName = 'export.jsonl.gz'
const manifestName = 'manifest.json'
const configName = 'config'
const backupFormat = 1
const backupNames = /^tollgate-\d{8}T\d{6}Z$/

/**
 * Makes a backup in a new folder below `into`, which gets its name when it is
 * complete: an export, a copy of CONFIG_DIR, and a manifest.
 */
export async function makeBackup(context: CommandContext, into: string): Promise<MadeBackup> {
  const stamp = new Date(context.now()).toISOString().replace(/[-:]|\.\d+/g, '')
  const folder = join(into, `tollgate-${stamp}`)
  const unfinished = unfinishedName(folder)
  const settings = context.settings()
  await mkdir(into, { recursive: true, mode: 0o700 })
  await removeAbandoned(folder, 'tollgate-')
  await mkdir(unfinished, { mode: 0o700 })
  try {
    const report = await exportDatabase(context, join(unfinished, exportName))
    // A linked ConfigMap is copied as the files that it shows.
    await cp(settings.configDir, join(unfinished, configName), {
      recursive: true,
      dereference: true,
    })
    const manifest: BackupManifest = {
      tollgate: 'backup',
      format: backupFormat,
      release: packageVersion(),
      madeAt: report.madeAt,
      rows: report.rows,
      audit: report.audit,
      missing: report.missing,
      files: await digestsIn(unfinished),
      settings: settingsInForce(settings, context.env)
        .filter(({ setBy }) => setBy.length > 0)
        .map(({ setBy, value }) => ({ names: setBy, value })),
    }
    const file = join(unfinished, manifestName)
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
    await keepToOwner(unfinished)
    await rename(unfinished, folder)
    await flushToDisk(into)
    return { folder, manifest, hasFailed: report.hasFailed }
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Gives files mode 0600 and folders 0700, whatever CONFIG_DIR has, and flushes everything to the disk. */
async function keepToOwner(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      await keepToOwner(path)
    } else {
      await chmod(path, 0o600)
      await flushToDisk(path)
    }
  }
  await chmod(folder, 0o700)
  await flushToDisk(folder)
}

/** Removes the oldest complete backups below `into`, all but `keep`. @returns their names */
export async function removeOldBackups(into: string, keep: number): Promise<readonly string[]> {
  const names = (await readdir(into)).filter((name) => backupNames.test(name)).sort()
  const old = names.slice(0, Math.max(0, names.length - keep))
  for (const name of old) await rm(join(into, name), { recursive: true })
  return old
}

/**
 * Reads the manifest of a backup and compares every file with it.
 *
 * @throws {CommandError} it is not a backup, or a file is missing or changed
 */
export async function readBackup(folder: string): Promise<BackupManifest> {
  const manifest = await readManifest(folder)
  const found = await digestsIn(folder)
  const wrong = Object.entries(manifest.files)
    .filter(([path, digest]) => found[path] !== digest)
    .map(([path]) => path)
  if (wrong.length > 0) {
    throw new CommandError(`${folder} is damaged: missing or changed are ${wrong.join(', ')}`)
  }
  return manifest
}

async function readManifest(folder: string): Promise<BackupManifest> {
  let manifest: BackupManifest
  try {
    // Parse boundary: checked below, as far as this release must know it.
    manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as BackupManifest
  } catch (cause) {
    throw new CommandError(`${folder} is not a backup: it has no readable ${manifestName}`, {
      cause,
    })
  }
  if (manifest.tollgate !== 'backup') {
    throw new CommandError(`${folder} is not a backup of Tollgate`)
  }
  if (manifest.format > backupFormat) {
    throw new CommandError(`${folder} was made by release ${manifest.release}; use that release`)
  }
  return manifest
}

/** What became of the configuration in a restore. */
export type ConfigOutcome = 'same' | 'copied' | 'differs'

/** Puts the configuration of a backup into CONFIG_DIR if that is missing or empty; otherwise only compares. */
export async function restoreConfig(
  folder: string,
  manifest: BackupManifest,
  configDir: string,
): Promise<ConfigOutcome> {
  const found = await digestsIn(configDir)
  const paths = Object.keys(found)
  if (paths.length === 0) {
    await cp(join(folder, configName), configDir, { recursive: true })
    return 'copied'
  }
  const kept = Object.entries(manifest.files).filter(([path]) => path.startsWith(`${configName}/`))
  const isSame =
    kept.length === paths.length &&
    kept.every(([path, digest]) => found[path.slice(configName.length + 1)] === digest)
  return isSame ? 'same' : 'differs'
}

/** SHA-256 of each file below a folder, by relative path; none if it is missing. */
async function digestsIn(folder: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const path of await filesIn(folder)) {
    const name = relative(folder, path)
    if (name === manifestName) continue
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash)
    digests[name] = hash.digest('hex')
  }
  return digests
}

/** Follows links, as the copy did. */
async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = []
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    const below = entry.isFile() ? undefined : await filesIn(path).catch(ignoreNotFolder)
    if (below === undefined) files.push(path)
    else files.push(...below)
  }
  return files
}

function ignoreNotFolder(error: unknown): undefined {
  if (codeOf(error) !== 'ENOTDIR') throw error
  return undefined
}
