import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JobPauses } from '../../src/compose/stores.ts'
import { startTollgate } from '../../src/main.ts'
import { readDataFolderSecret } from '../../src/platform/database/data-folder.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog, type Logger } from '../../src/platform/log/log.ts'
import { roles as allRoles, type Role, readSettings } from '../../src/platform/settings/settings.ts'
import { type Onboarded, onboard } from '../../src/portal/stores/accounts/onboard.ts'
import { openStores, type Stores } from '../../src/portal/stores/stores.ts'
import { parsePeppers } from '../../src/registry/keys/key-mac.ts'
import { childEnvironment } from './child-environment.ts'
import { type Test, testDataDir } from './database.ts'
import { configDir, sharedCatalogue } from './published-catalogue.ts'
import {
  commandEnvBeside,
  standInDataDir,
  startDatabaseOf,
  testDatabaseBeside,
} from './stand-in-database.ts'

export interface RunningTollgate {
  /** Origins by the name in the ready line. */
  readonly urls: Readonly<Record<'gateway' | 'management' | 'portal' | 'backend' | 'sca', string>>
  readonly dataDir: string
  /** Environment of commands that run beside it. */
  readonly commandEnv: Readonly<Record<string, string>>
  /** The Consent-ID of the demonstration. */
  readonly consentId: string
  /** The key of the demonstration. */
  readonly key: string
  /** Reloads the configuration. Resolves with whether it is valid. */
  readonly reload: () => Promise<boolean>
  readonly close: () => Promise<void>
}

export interface TestTollgateOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly plan?: TestPlan
  /** (Default: standard error, at LOG_LEVEL) */
  readonly log?: Logger
  /**
   * Whether its database is the embedded one, for tests about that; others are
   * faster on a stand-in. No effect with a DATA_DIR, which already has its
   * database. (Default: false)
   */
  readonly isEmbedded?: boolean
  /** (Default: short ones, because most tests wait for what such a job writes) */
  readonly pauses?: JobPauses
}

export interface TestPlan {
  readonly calls: number
  /** ISO 8601. */
  readonly window: string
}

/** Any free port, nothing on standard error, and no bound on bursts of one application or developer. */
export const quietEnv = {
  CALLS_PER_APPLICATION: '0',
  CALLS_PER_DEVELOPER: '0',
  CHANGES_PER_MINUTE: '100000',
  KEYS_PER_HOUR: '100000',
  LOG_LEVEL: 'silent',
  GATEWAY_PORT: '0',
  MANAGEMENT_PORT: '0',
  PORTAL_PORT: '0',
  BACKEND_PORT: '0',
  SCA_PORT: '0',
}

const subscriptions = ['mandate@1.0.0', 'xs2a@1.6.0', 'xs2a@1.7.0'].map((name) => {
  const [api = '', version = ''] = name.split('@')
  return { api, version, plan: 'default' }
})

/**
 * A copy of the published configuration (or of another release's) whose Default Plan has another limit; by default a huge
 * one in a window that does not end during a test.
 */
export function testConfigDir(
  t: Test,
  plan: TestPlan = { calls: 1_000_000, window: 'P365D' },
  from = configDir,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-config-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(from, folder, { recursive: true })
  const file = join(folder, 'plans', 'default.yaml')
  const text = readFileSync(file, 'utf8')
  const limited = text
    .replace(/calls: \d+/, `calls: ${plan.calls}`)
    .replace(/window: \w+/, `window: ${plan.window}`)
  writeFileSync(file, limited)
  return folder
}

const shortPauses: JobPauses = {
  recordsEveryMs: 200,
  usageEveryMs: 200,
  sealEveryMs: 200,
  writeEveryMs: 200,
}

/**
 * Starts all roles in this process, like the first `npm start`, with the shortcuts that {@link TestTollgateOptions}
 * describes.
 */
export async function runTollgate(
  t: Test,
  options: TestTollgateOptions = {},
): Promise<RunningTollgate> {
  // With its own server it needs no stand-in.
  const isEmbedded = options.isEmbedded ?? options.env?.['DATABASE_URL'] !== undefined
  const dataDir =
    options.env?.['DATA_DIR'] ?? (await (isEmbedded ? testDataDir(t) : standInDataDir(t)))
  const settings = readSettings({
    ...quietEnv,
    DATA_DIR: dataDir,
    CONFIG_DIR: testConfigDir(t, options.plan),
    ...options.env,
  })
  const tollgate = await startTollgate({
    settings,
    roles: new Set(allRoles),
    log: options.log ?? createLog(settings.logLevel),
    version: 'test',
    revision: 'test',
    isTerminal: true,
    startEmbedded: startDatabaseOf,
    readCatalogue: sharedCatalogue,
    pauses: options.pauses ?? shortPauses,
  })
  t.teardown(() => tollgate.close())
  await tollgate.noteWelcomed()
  const urls = parseReadyLine(tollgate.readyLine)
  return {
    urls,
    dataDir,
    commandEnv: await commandEnvBeside(dataDir, urls.portal),
    consentId: /Consent-ID: ([0-9a-f-]{36})/.exec(tollgate.welcome ?? '')?.[1] ?? '',
    key: /X-API-Key: (tg_\w+)/.exec(tollgate.welcome ?? '')?.[1] ?? '',
    reload: () => tollgate.reload(),
    close: () => tollgate.close(),
  }
}

/** The registry of a running Tollgate that has a data folder, as a command sees it. */
export async function registryBeside(t: Test, dataDir: string): Promise<Stores> {
  const url = await testDatabaseBeside(dataDir)
  const pepper = await readDataFolderSecret(dataDir, 'key-pepper')
  if (pepper === undefined) throw new Error(`nothing runs on ${dataDir}`)
  const log = createLog('silent')
  const database = openDatabase({ url, log, connectionsMax: 2 })
  t.teardown(() => database.close())
  return openStores({
    database,
    peppers: parsePeppers(pepper),
    keysPerApplication: 10,
    applicationsPerDeveloper: 1000,
  })
}

/** A fresh application subscribed to everything, with a key. */
export function newApplication(stores: Stores, name: string): Promise<Onboarded> {
  return onboard(stores, {
    email: 'tester@tollgate.example',
    developerName: 'Tester',
    applicationName: name,
    subscriptions,
    by: 'test',
  })
}

export interface TollgateProcess {
  readonly urls: RunningTollgate['urls']
  readonly pid: number
  /** What it has written so far. */
  readonly output: { stdout: string; stderr: string }
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code, or the signal that ended it, when all its output is read. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/**
 * Starts a separate process. Resolves at its ready line; if it ends before
 * that, rejects with its output.
 *
 * @param program the folder of another release (Default: this one)
 */
export async function spawnTollgate(
  t: Test,
  roles: readonly Role[],
  env: Readonly<Record<string, string>>,
  program = join(configDir, '..'),
): Promise<TollgateProcess> {
  const child = spawn(
    process.execPath,
    // It runs for seconds, so optimised machine code for its embedded database would cost more than it saves.
    ['--liftoff-only', join(program, 'src', 'cli', 'main.ts'), 'start', ...roles],
    { env: { ...childEnvironment, ...quietEnv, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output = { stdout: '', stderr: '' }
  child.stderr.on('data', (chunk) => {
    output.stderr += String(chunk)
  })
  // `close` comes after the end of the process, when all its output has been read.
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const ready = new Promise<RunningTollgate['urls']>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.stdout += `${line}\n`
      if (line.startsWith('tollgate ready ')) resolve(parseReadyLine(line))
    })
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)))
  })
  return {
    urls: await ready,
    pid: child.pid ?? 0,
    output,
    signal: (name) => void child.kill(name),
    ended,
  }
}

/** The origins that a ready line names. */
export function parseReadyLine(line: string): RunningTollgate['urls'] {
  const url = (name: string): string => new RegExp(` ${name}=(\\S+)`).exec(line)?.[1] ?? ''
  return {
    gateway: url('gateway'),
    management: url('management'),
    portal: url('portal'),
    backend: url('backend'),
    sca: url('sca'),
  }
}
