// This folder puts the parts of a process together: it opens what the settings ask for and hands each part what it
// needs. `src/main.ts` calls the steps of a start in order. `stores.ts` and `services.ts` open what the roles share,
// and `gateway.ts`, `portal.ts` and `backend.ts` start a role. The other files are smaller steps, parts of steps, or
// what commands share with a start. Everything opened is registered in a `Lifetime`, so a failed step and a shutdown
// close it in reverse order. Only this folder chooses between Redis and memory and, for a process that serves, between
// PostgreSQL and the embedded database (for a command: `cli/database-session.ts`).

import { sql } from 'kysely'
import { sampleCounts } from '../gateway/counters/count-samples.ts'
import type { Counter } from '../gateway/counters/counter.ts'
import type { CallRecorderOptions } from '../gateway/operate/call-recorder.ts'
import type { KeepAuditOptions } from '../gateway/operate/keep-audit.ts'
import type { GatewayMetrics } from '../gateway/operate/metrics.ts'
import type { ProcessMetrics } from '../gateway/operate/process-metrics.ts'
import { type DataFolder, openDataFolder } from '../platform/database/data-folder.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../platform/database/database.ts'
import { connectionsMax } from '../platform/database/database-connections.ts'
import { serverUrls } from '../platform/database/database-urls.ts'
import { startEmbeddedDatabase } from '../platform/database/embedded-database.ts'
import type { Logger } from '../platform/log/log.ts'
import type { LogSwitch } from '../platform/log/log-switch.ts'
import type { SecurityEvents, SecurityEventsOptions } from '../platform/log/security-events.ts'
import { joinRoles } from '../platform/process/join-roles.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import type { Probe } from '../platform/process/management.ts'
import type { Role, Settings } from '../platform/settings/settings.ts'
import { together } from '../platform/together.ts'
import { livePeppers, type Peppers, parsePeppers } from '../registry/keys/key-mac.ts'
import { openRegistry, type Registry } from '../registry/open-registry.ts'
import { openRecords, type Records } from '../registry/records.ts'
import type { Certificates } from './certificates.ts'
import { counterStore } from './counter-store.ts'
import { onlyLogin } from './live-redis.ts'
import type { LiveSecrets } from './live-secrets.ts'
import { checkPeppers, openPepper } from './secrets.ts'
import { tellCounts } from './tell-counts.ts'

/** Milliseconds between two runs of what people wait for; where unset, the job's own. */
export type JobPauses = Pick<CallRecorderOptions, 'recordsEveryMs' | 'usageEveryMs'> &
  Pick<KeepAuditOptions, 'sealEveryMs'> &
  Pick<SecurityEventsOptions, 'writeEveryMs'>

/** What every step of a start builds on. */
export interface Foundation {
  readonly settings: Settings
  readonly secrets: LiveSecrets
  readonly log: Logger
  /** What the log shows now, which a command may change. */
  readonly logSwitch: LogSwitch
  readonly lifetime: Lifetime
  readonly pauses?: JobPauses
  readonly database: Database
  /** Where every part records security events. */
  readonly events: Pick<SecurityEvents, 'record'>
  /** Undefined when this process keeps nothing: with DATABASE_URL and REDIS_URL, and as a bank alone with DATABASE_URL. */
  readonly dataFolder: DataFolder | undefined
  /** Whether the process is about to stop but still serves. */
  readonly isEnding: () => boolean
}

/** What a role with listeners builds on. */
export interface ListenerFoundation extends Foundation {
  readonly certificates: Certificates
}

/** Opens the data folder, if this process keeps anything there. */
export async function openFolder({
  settings,
  roles,
  lifetime,
}: Pick<Foundation, 'settings' | 'lifetime'> & {
  readonly roles: ReadonlySet<Role>
}): Promise<DataFolder | undefined> {
  const isBankAlone = roles.size === 1 && roles.has('backend')
  const isCounting = !isBankAlone && !counterStore(settings).isShared
  if (settings.databaseUrl !== undefined && !isCounting) return undefined
  const dataFolder = await openDataFolder(settings.dataDir)
  lifetime.opened(() => dataFolder.close())
  return dataFolder
}

/** It shares the processors with all roles, and its transactions wait for each other: slow does not mean gone. */
const embeddedStatementTimeoutMs = 30_000
const embeddedAnswerMs = 10_000

/** Opens the database at DATABASE_URL without connecting, or starts the embedded one. */
export async function openChosenDatabase({
  settings,
  secrets,
  dataFolder,
  roles,
  log,
  lifetime,
  startEmbedded = startEmbeddedDatabase,
}: Pick<Foundation, 'settings' | 'secrets' | 'dataFolder' | 'log' | 'lifetime'> & {
  readonly roles: ReadonlySet<Role>
  readonly startEmbedded?: typeof startEmbeddedDatabase
}): Promise<Database> {
  let url = settings.databaseUrl
  let embeddedOnly: Partial<DatabaseOptions> = {}
  if (url === undefined) {
    if (dataFolder === undefined) throw new Error('no data folder for the embedded database')
    log.info({ dataDir: dataFolder.path }, 'opening the embedded database, which takes seconds')
    const embedded = await startEmbedded({ dataDir: dataFolder.path, log })
    lifetime.opened(() => embedded.close())
    url = embedded.url
    const { onTransaction } = embedded
    embeddedOnly = { onTransaction, statementTimeoutMs: embeddedStatementTimeoutMs }
  }
  const user = joinRoles(roles)
  const database = openDatabase({
    url,
    user,
    log,
    ...embeddedOnly,
    connectionsMax: connectionsMax(settings, roles),
  })
  lifetime.opened(() => database.close())
  if (settings.databaseUrl !== undefined) await followLogin(database, { secrets, url })
  return database
}

/** Follows a changed DATABASE_URL, in which only user and password may differ: another database would have other keys. */
export async function followLogin(
  database: Pick<Database, 'adoptLogin'>,
  { secrets, url }: { readonly secrets: LiveSecrets; readonly url: string },
): Promise<void> {
  const login = await secrets.follow('DATABASE_URL', {
    text: url,
    check(text) {
      if (withoutLogin(text) !== withoutLogin(url)) throw new Error(onlyLogin)
    },
  })
  login.onChange(database.adoptLogin)
  database.adoptLogin(login.current())
}

/** Undefined: not an address. */
function withoutLogin(text: string): string | undefined {
  const urls = serverUrls(text).map((server) => URL.parse(server))
  for (const url of urls) Object.assign(url ?? {}, { username: '', password: '' })
  return urls.includes(null) ? undefined : urls.join(' ')
}

/**
 * Connects to the database at DATABASE_URL. Startup waits for a connection, not
 * for a database: the service manager restarts the process. The address may
 * contain a password, so only its setting is named.
 */
export async function reachDatabase(settings: Settings, database: Database): Promise<void> {
  if (settings.databaseUrl === undefined) return
  try {
    await sql`select 1`.execute(database.connect())
  } catch (cause) {
    throw new Error('DATABASE_URL: the database cannot be reached', { cause })
  }
}

/** The stores of one process. */
export interface Stores {
  readonly counter: Counter
  readonly registry: Registry
  readonly records: Records
  readonly peppers: Peppers
  readonly probes: readonly Probe[]
}

export interface StoresOptions extends Foundation {
  readonly metrics: GatewayMetrics
  readonly processMetrics: ProcessMetrics
  /** Whether this process admits calls. */
  readonly admits: boolean
  /** Whether the process should get no traffic while PostgreSQL does not answer. (Default: false) */
  readonly needsRegistry?: boolean
}

/**
 * Opens the counter and the registry of one process and follows their changes:
 * after another process resets a counter, this one drops what it remembers.
 *
 * @throws named errors: secrets, stores
 */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { settings, database, processMetrics, needsRegistry = false, log, lifetime } = options
  const pepper = await options.secrets.follow('KEY_PEPPER', {
    text: await openPepper(options),
    check: (text) => void parsePeppers(text),
  })
  const peppers = livePeppers(pepper)
  const [{ counter, samples }, registry] = await together(
    counterStore(settings)
      .open({ ...options, isAdmitting: options.admits })
      .then((counter) => sampleCounts(counter)),
    openRegistry({
      ...settings,
      database,
      log,
      peppers,
      ...(settings.databaseUrl === undefined && { answerMs: embeddedAnswerMs }),
    }).then((opened) => {
      lifetime.opened(() => opened.close())
      return opened
    }),
  )
  await checkPeppers(registry.keyPeppers, peppers)
  pepper.addCheck((text) => checkPeppers(registry.keyPeppers, parsePeppers(text)))
  const shortened = await registry.keys.limitLives()
  if (shortened > 0) {
    const { keyMaxDays } = settings
    log.warn(
      { keys: shortened, keyMaxDays },
      'keys now expire: KEY_MAX_DAYS is shorter than their life',
    )
  }
  processMetrics.watchStore('counters', () => counter.isUp())
  processMetrics.watchStore('registry', () => registry.isUp())
  processMetrics.watchLoad({ database: database.load, registry: registry.load })
  registry.onChange('configuration', (change) => {
    if (change.action === 'log') options.logSwitch.change(change.detail)
  })
  registry.onChange('counter', (change) => {
    if (change.action !== 'reset') return
    const { bucket, epoch } = change.detail
    counter.forget(bucket, epoch === undefined ? undefined : Number(epoch))
  })
  if (options.admits) tellCounts({ samples, registry, log, lifetime })
  return {
    counter,
    registry,
    records: openRecords({ database, peppers }),
    peppers,
    probes: [
      {
        name: 'counters',
        isReady: () => counter.isUp(),
        isRequired: false,
        problem:
          'the counters are not shared: Redis does not answer, or the journal cannot be written',
      },
      {
        name: 'registry',
        isReady: () => registry.isUp(),
        isRequired: needsRegistry,
        problem: 'the database does not answer',
      },
    ],
  }
}
