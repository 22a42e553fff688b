import { availableParallelism } from 'node:os'

/** How a proof is run. */
export interface ProofRun {
  readonly seed: string
  /** In full; else the share of it that takes minutes. */
  readonly isWhole: boolean
}

/** A claim about a time, a size, a fleet or a fault, and what shows that it holds. */
export interface Proof {
  readonly shows: string
  /** Files and folders, from the root, whose changes can break it. A `*` is any part of a name. */
  readonly guards: readonly string[]
  /** Whether a run that is not whole does only a share. */
  readonly hasShare: boolean
  /** Nothing bounds its figures, so it shows what they are, not that something holds. */
  readonly isMeasurement?: true
  /** Whether it is a program, which takes arguments of its own. */
  readonly isProgram: boolean
  /** Arguments of Node. */
  command(run: ProofRun): readonly string[]
}

type Told = Pick<Proof, 'shows' | 'guards' | 'isMeasurement'>

/** A file of tests, each of which takes its sizes from `proofSize` if there is a share. */
function tests(file: string, told: Told, hasShare = false): Proof {
  return {
    ...told,
    hasShare,
    isProgram: false,
    command: () => ['test/run.ts', '--apart', `proofs/${file}.test.ts`],
  }
}

function sizedTests(file: string, told: Told): Proof {
  return tests(file, told, true)
}

function program(file: string, told: Told, args?: (run: ProofRun) => readonly string[]): Proof {
  return {
    ...told,
    hasShare: args !== undefined,
    isProgram: true,
    command: (run) => [`proofs/${file}.ts`, ...(args?.(run) ?? [])],
  }
}

/** Files of src/platform, by name. */
function platform(...names: readonly string[]): readonly string[] {
  return names.map((name) => `src/platform/${name}.ts`)
}

const edge = 'src/gateway/edge'
const registry = 'src/registry'
const operate = 'src/gateway/operate'
const portal = 'src/portal'
const bank = 'src/backend'
const compose = 'src/compose'
/** What all commands share. */
const commands = 'src/cli/*.ts'
const listeners = platform(
  'http/connection-limits',
  'http/end-gently',
  'http/http-server',
  'http/listen',
  'http/octet-writer',
  'http/recurring-names',
  'http/owed-response',
  'http/parser-errors',
  'http/plain/*',
  'http/refuse-socket',
  'http/reset-connection',
  'http/served-connections',
  'http/stop-times',
  'http/unreadable',
)
/** What a call passes. */
const calls = [
  edge,
  'src/gateway/upstream',
  ...listeners,
  ...platform(
    'bounded-map',
    'fixed-windows',
    'http/client-*',
    'http/header-values',
    'http/networks',
    'http/own-fields',
    'http/problem',
    'own-copy',
    'roster',
    'tally',
  ),
]
const tls = ['src/certificates', ...platform('http/tls', 'settings/watched-files')]
const counters = [
  'src/gateway/counters',
  ...platform('redis/*redis*', 'deadline', 'hash-text', 'roster'),
]
const postgres = platform('database/database*', 'database/uuid', 'database/watch-database')
const embedded = platform(
  'database/create-database',
  'database/data-folder',
  'database/database-folder',
  'database/empty-database',
  'database/embedded-*',
)
const tables = [
  `${registry}/migrations`,
  'src/backend/stores/migrations',
  ...platform(
    'database/migrate',
    'database/migration-of',
    'database/change-tables',
    'process/package-version',
    'database/schema-*',
  ),
  'src/cli/grant-rights.ts',
  'src/cli/commands/migrate.ts',
]
const settings = platform('settings/deployment', 'settings/secret-list', 'settings/setting*')
const log = platform('http/access-*', 'log/log', 'log/log-switch', 'log/pretty-line')
/** What starts, reloads and ends a process. */
const running = [
  compose,
  'src/main.ts',
  'src/cli/main.ts',
  'src/cli/commands/start.ts',
  ...platform(
    'process/join-roles',
    'process/lifetime',
    'process/management',
    'process/repeatedly',
    'together',
  ),
]
/** A portal in a browser. */
const page = ['src/portal-ui', 'src/guides', 'src/messages', portal]

/** What `npm run prove` runs, by name. */
export const proofs: Readonly<Record<string, Proof>> = {
  // No call is lost or made twice.
  'arrives-once': sizedTests('long/arrives-once', {
    shows: 'none of 10,000 faulted POST, PUT and DELETE calls reaches the bank twice',
    guards: calls,
  }),
  'in-step': sizedTests('long/in-step', {
    shows: '100,000 random exchanges on reused connections stay in step, with TCP and with TLS',
    guards: [...calls, 'src/platform/http/tls.ts'],
  }),
  stop: tests('long/stop', {
    shows: 'SIGTERM under load fails no call',
    guards: [...calls, ...running],
  }),
  'rolling-restart': sizedTests('long/rolling-restart', {
    shows: '20 restarts and 200 reloads behind each balancer fail none of 100,000 calls',
    guards: [...calls, ...running, 'deploy/nginx.conf', 'deploy/haproxy.cfg'],
  }),
  upgrade: sizedTests('long/upgrade', {
    shows:
      'the release before and this one serve side by side and in turn, behind each balancer, without a failed or miscounted call',
    guards: [
      ...running,
      ...tables,
      ...counters,
      registry,
      `${operate}/usage`,
      'test/support/releases.ts',
      'test/fixtures/releases',
      'deploy/nginx.conf',
      'deploy/haproxy.cfg',
    ],
  }),
  rotation: sizedTests('long/rotation', {
    shows:
      'three rotations of each secret, as docs/rotation.md says, fail none of 50,000 calls behind HAProxy and end no session',
    guards: [
      'docs/rotation.md',
      'deploy/haproxy.cfg',
      compose,
      `${edge}/forward/identity.ts`,
      `${registry}/keys/key-*.ts`,
      `${registry}/keys/pepper-upgrades.ts`,
      `${portal}/accounts`,
      `${portal}/mail`,
      `${portal}/sealing`,
      `${bank}/gateway-keys.ts`,
      ...platform(
        'settings/watched-files',
        'settings/secret-list',
        'database/database-logins',
        'redis/open-redis',
        'process/management',
      ),
    ],
  }),
  'tls-reload': sizedTests('long/tls-reload', {
    shows: '200 reloads of the certificate under load fail no call',
    guards: [`${edge}/listener.ts`, ...tls, `${compose}/certificates.ts`],
  }),
  'reload-wait': tests('long/reload-wait', {
    shows:
      '`reload --wait` lists every process, names those that lag or refuse, and leaves one audit entry',
    guards: [
      compose,
      'src/cli/commands/reload.ts',
      'src/cli/taking-away.ts',
      `${registry}/processes/*configurations.ts`,
      `${registry}/processes/processes.ts`,
    ],
  }),
  'new-version': tests('long/new-version', {
    shows: 'a new version and a new plan are one file each, and a reload applies them',
    guards: ['src/catalogue', 'config', compose, 'src/cli/commands/reload.ts'],
  }),
  'publish-live': tests('long/publish-live', {
    shows:
      'in a called catalogue of 3,000 operations, a new one is served within 100 ms of its reload, and no call fails meanwhile',
    guards: ['src/catalogue', compose, edge],
  }),
  'several-processes': sizedTests('long/several-processes', {
    shows:
      'two processes on one port count exactly, a start there fails no call, and two behind each balancer restart in turn, by the commands of install.md, without a failed or miscounted call',
    guards: [
      ...counters,
      ...running,
      ...platform('http/listen', 'http/probe-ports', 'http/free-port'),
      ...platform('database/database-connections'),
      'deploy/nginx.conf',
      'deploy/haproxy.cfg',
      'deploy/nginx-vm.conf',
      'docs/install.md',
    ],
  }),

  // Limits are exact.
  'many-processes': sizedTests('long/many-processes', {
    shows: 'four processes admit exactly 100 of 500 concurrent calls in each of ten windows',
    guards: counters,
  }),
  'rehearsed-plan': tests('long/rehearsed-plan', {
    shows: 'two processes count a rehearsed plan as exactly as an enforced one, and refuse nothing',
    guards: [
      ...counters,
      `${edge}/rehearse.ts`,
      `${operate}/usage`,
      `${registry}/usage/rehearsed-usage.ts`,
      'src/cli/commands/rehearsal.ts',
    ],
  }),
  'lost-counters': sizedTests('long/lost-counters', {
    shows: '10,000 buckets of four processes survive lost counters without a call granted twice',
    guards: counters,
  }),
  'redis-outage': tests('long/redis-outage', {
    shows:
      'without Redis processes admit their shares, refuse what is used up, and agree again when it is back',
    guards: counters,
  }),
  'redis-cluster': tests('long/redis-cluster', {
    shows:
      'on a Redis Cluster counts stay exact while slots move, primaries change and nodes are lost',
    guards: [...counters, `${portal}/accounts/open-attempts.ts`],
  }),
  'redis-sentinel': tests('long/redis-sentinel', {
    shows: 'behind sentinels no switch of the primary loses a count or grants a forgotten one',
    guards: counters,
  }),
  'window-end': tests('long/window-end', {
    shows:
      'what a refusal says of the end of its window does not depend on how long it was on its way',
    guards: counters,
  }),
  'counting-claim': tests('long/counting-claim', {
    shows:
      'gateways that count separately on one PostgreSQL are refused or named, and a killed one is soon ignored',
    guards: [
      `${compose}/counting-claim.ts`,
      `${compose}/presence.ts`,
      `${registry}/processes/processes.ts`,
    ],
  }),
  'prove-command': tests('long/prove-command', {
    shows: '`tollgate prove` finds every number of a window given once, and what breaks that',
    guards: [
      'src/cli/commands/prove.ts',
      'src/cli/judge-window.ts',
      `${registry}/processes/count-samples.ts`,
      `${registry}/processes/processes.ts`,
    ],
  }),
  'prove-window': tests('long/prove-window', {
    shows:
      'on a live system each number of a window was given once, by gateways that run and that ended',
    guards: [
      'src/cli/commands/prove.ts',
      'src/cli/judge-window.ts',
      ...counters,
      `${compose}/tell-counts.ts`,
      `${registry}/processes/count-samples.ts`,
      'src/platform/count-sample.ts',
    ],
  }),
  simulate: program(
    'simulation/main',
    {
      shows: '1,000,000 simulated schedules of faults break no promise of the counters',
      guards: counters,
    },
    ({ seed, isWhole }) => [
      '--seed',
      seed,
      '--schedules',
      isWhole ? '1000000' : '20000',
      '--workers',
      String(availableParallelism()),
      '--classes',
      ...(isWhole ? ['--replays', '10'] : []),
    ],
  ),
  'planted-faults': sizedTests('long/simulation', {
    shows: 'the simulation finds each planted fault of the counters within 3,000 schedules',
    guards: counters,
  }),
  'counting-model': program('simulation/model', {
    shows:
      'no order of grants, losses, resets and calls without Redis breaks the model of the counters, and each of its rules is needed',
    guards: counters,
  }),

  // Hostile clients.
  attacks: {
    ...program(
      'attacks/main',
      {
        shows:
          'no attack of the corpus desynchronises the gateway, nginx and HAProxy beside it, and each planted fault is found',
        guards: [...calls, 'src/platform/http/errors.ts'],
      },
      ({ seed }) => ['--seed', seed],
    ),
    command: ({ seed, isWhole }) =>
      isWhole
        ? ['proofs/attacks/main.ts', '--seed', seed]
        : ['test/run.ts', '--apart', 'proofs/attacks/share.test.ts'],
  },
  'slow-callers': tests('long/slow-callers', {
    shows:
      'callers that send or read slowly are cut, answered and counted as promised, and bound in number',
    guards: calls,
  }),
  'slow-readers': tests('long/slow-readers', {
    shows:
      'while a hundred clients read large answers slowly, 99 of 100 calls of others are answered within 0.3 s',
    guards: calls,
  }),
  'slow-clients': tests('long/slow-clients', {
    shows:
      'clients that send headers or bodies slowly, or never read an answer, are cut off in time while others are served',
    guards: [
      ...calls,
      ...tls,
      `${portal}/create-portal.ts`,
      `${bank}/create-backend.ts`,
      'src/platform/process/management.ts',
    ],
  }),
  costs: tests('long/costs', {
    shows: 'what a stranger sends costs little memory and processor time',
    guards: [
      edge,
      portal,
      'src/catalogue',
      'config',
      'src/portal-ui/calls',
      `${bank}/check-call.ts`,
      `${bank}/read-body.ts`,
    ],
  }),
  flood: tests('long/flood', {
    shows:
      '1,000 forged keys at once (300 on the embedded database) keep no valid one from being recognised',
    guards: [`${registry}/keys/authenticator.ts`, `${registry}/keys/key-*.ts`],
  }),
  'forged-keys': sizedTests('long/forged-keys', {
    shows: 'the memory that forged keys take is bounded, whatever their number and networks',
    guards: [
      `${registry}/keys/authenticator.ts`,
      `${registry}/keys/key-*.ts`,
      `${edge}/failure-throttle.ts`,
      ...platform('bounded-map', 'fixed-windows'),
    ],
  }),
  guessing: tests('long/guessing', {
    shows:
      'password guessing is bounded, reveals nothing by its timing, and never locks the owner out of a known browser',
    guards: [`${portal}/accounts`, ...platform('fixed-windows')],
  }),
  'password-guesses': tests('long/password-guesses', {
    shows: 'of a thousand passwords from a thousand networks thirty are compared',
    guards: [`${portal}/accounts`, ...platform('fixed-windows')],
  }),
  leaks: tests('long/leaks', {
    shows:
      'no secret of a key is in an answer, a log line, a metric, a file, or a request to the backend',
    guards: [edge, operate, registry, portal, ...log],
  }),

  'override-moment': tests('long/override-moment', {
    shows: 'an override with its moment seconds away ends at that moment',
    guards: [`${registry}/applications/overrides.ts`, `${edge}/entitlement.ts`],
  }),

  // Stores that fail, move and lose.
  faults: program(
    'faults/main',
    {
      shows: 'what docs/evidence/faults.md promises holds in all experiments',
      guards: [...calls, ...counters, ...postgres, ...running, registry],
    },
    ({ seed, isWhole }) => ['--seed', seed, ...(isWhole ? [] : ['--share'])],
  ),
  'store-outages': tests('long/store-outages', {
    shows:
      'gateways start and serve without Redis, and without PostgreSQL serve the keys they know',
    guards: [...counters, ...postgres, ...running, registry],
  }),
  'database-servers': tests('long/database-servers', {
    shows:
      'of several PostgreSQL servers the primary is found, followed and never searched in vain',
    guards: postgres,
  }),
  failover: tests('long/failover', {
    shows:
      'when primary and standby of PostgreSQL change places, processes work on, and no revoked key works again',
    guards: [
      ...postgres,
      `${registry}/keys/authenticator.ts`,
      `${registry}/feed/change-feed.ts`,
      `${registry}/keys/key-*.ts`,
    ],
  }),
  pooler: tests('long/pooler', {
    shows:
      'through PgBouncer in transaction mode gateways, portal and commands work, and no lock stays',
    guards: [...postgres, ...running, registry, commands, 'src/cli/commands/backup.ts'],
  }),
  revocation: sizedTests('long/revocation', {
    shows:
      'a revoked key, a suspended application or developer, a blocked certificate and an override reach all processes within a second',
    guards: [
      `${registry}/keys/authenticator.ts`,
      `${registry}/feed/change-feed.ts`,
      `${registry}/keys/key-*.ts`,
      `${registry}/certificates/certificates.ts`,
      `${registry}/applications/overrides.ts`,
      `${edge}/checks`,
    ],
  }),
  'issue-and-kill': tests('long/issue-and-kill', {
    shows: 'every key that was shown works after the process that issued it was killed',
    guards: [...embedded, registry],
  }),
  'usage-recording': tests('long/usage-recording', {
    shows: 'processes count every call once in every step, however late and from how many',
    guards: [
      'src/platform/process/at-pace.ts',
      `${operate}/calls`,
      `${operate}/usage`,
      `${operate}/call-recorder.ts`,
      `${registry}/usage`,
    ],
  }),
  'audit-verify': sizedTests('long/audit-verify', {
    shows:
      'of 100,000 entries of the audit log, any that is changed, removed or moved is found and named',
    guards: [`${registry}/audit`, 'src/cli/commands/audit.ts'],
  }),
  availability: sizedTests('long/availability', {
    shows:
      'over outages of three gateways at 2,000 calls/s the availability report and the ledger of the client are 0 ms apart',
    guards: [`${operate}/availability`, `${registry}/availability`, 'src/cli/commands/report*.ts'],
  }),
  recover: sizedTests('long/recover', {
    shows:
      'a backup of 100,000 rows made under load brings back keys, consents, counts and the audit log after everything but the secrets is lost',
    guards: [
      ...embedded,
      ...tables,
      commands,
      'src/cli/commands/backup.ts',
      'src/cli/commands/restore.ts',
      'src/platform/database/move',
    ],
  }),
  move: tests('long/move', {
    shows:
      'embedded to PostgreSQL and back: the same keys answer, and usage, payments, consents, balances and the audit are the same',
    guards: [
      ...embedded,
      ...tables,
      commands,
      'src/cli/commands/export.ts',
      'src/cli/commands/import.ts',
      'src/platform/database/move',
    ],
  }),
  'lost-data': tests('long/lost-data', {
    shows:
      'a data folder that lost files or room is named in one line, and never taken for a new one',
    guards: [
      ...embedded,
      `${compose}/first-start.ts`,
      `${compose}/secrets.ts`,
      'src/gateway/counters/memory/journal.ts',
      'src/cli/database-session.ts',
      'src/platform/log/complete-error.ts',
      'src/platform/log/error-text.ts',
    ],
  }),
  log: tests('long/log', {
    shows:
      'a full disk under the log, or a log whose reader has stopped, loses lines but no calls, and the process still shuts down cleanly',
    guards: log,
  }),
  'reload-memory': tests('long/reload-memory', {
    shows: 'a reload under calls keeps nothing of the configuration before it',
    guards: ['src/catalogue', compose, edge],
  }),

  // One installation in all its shapes.
  'without-services': tests('long/without-services', {
    shows:
      'without Redis, PostgreSQL, Chromium and other programs `npm test` passes on the embedded database and says what it skips',
    // A test may need what it does not say, and a statement what PGlite does not have.
    guards: [...embedded, registry, portal, bank, 'test'],
  }),
  welcome: tests('long/welcome', {
    shows:
      'every start shows its addresses and one next command, and what it shows works as pasted',
    guards: [
      ...running,
      ...log,
      ...platform('http/listen', 'http/probe-ports', 'settings/sandbox'),
      `${operate}/call-line.ts`,
      'src/cli/addresses.ts',
      'src/cli/commands/onboard.ts',
    ],
  }),
  launcher: tests('long/launcher', {
    shows: 'whatever Node is there runs commands and the program, and hands signals on to it',
    guards: ['bin', 'package.json', commands, 'src/main.ts', 'src/cli/commands/start.ts'],
  }),
  package: tests('long/package', {
    shows: 'a release holds all that it needs and nothing else, and installs without Node',
    guards: ['bin', 'config', 'release', 'src', 'package.json', 'package-lock.json'],
  }),
  image: tests('long/image', {
    shows:
      'the images of a checkout and of a release are built, small and without a shell; they serve, and end at SIGTERM at any moment',
    guards: [
      'Dockerfile',
      '.dockerignore',
      'deploy/Dockerfile.release',
      'deploy/system-files.sh',
      '.npmrc',
      'bin',
      'config',
      'release',
      'package.json',
      'package-lock.json',
      ...running,
    ],
  }),
  release: sizedTests('long/release', {
    shows:
      'one command makes commit, tag and files of a release, and its tag gives the same bytes in another folder',
    guards: ['release', 'package.json', 'package-lock.json'],
  }),
  'production-block': tests('long/production-block', {
    shows:
      "the commands of docs/production.md's section Roles start a gateway, a portal and a bank that answers a call",
    guards: [
      'docs/production.md',
      'bin',
      'deploy/postgres',
      ...running,
      ...settings,
      ...tables,
      'src/cli/commands/onboard.ts',
    ],
  }),
  kubernetes: tests('long/kubernetes', {
    shows:
      'the pods of the overlay ha work together with the secrets and database roles of docs/kubernetes.md',
    guards: [
      'deploy/kubernetes',
      'deploy/postgres',
      'docs/kubernetes.md',
      ...running,
      ...settings,
      ...tables,
    ],
  }),
  prometheus: tests('long/prometheus', {
    shows:
      'a Prometheus that scrapes gateway, portal and bank has data for each panel, rule and documented metric',
    guards: [
      'deploy/prometheus',
      'deploy/grafana',
      'docs/monitoring.md',
      operate,
      compose,
      `${portal}/*/*metrics.ts`,
      `${portal}/metrics/watch-*.ts`,
      `${bank}/bank-metrics.ts`,
      `${bank}/gateway-keys.ts`,
      ...platform(
        'process/*gauge*',
        'process/job-metrics',
        'process/management',
        'process/node-metrics',
        'process/pool-load',
        'log/security-events',
      ),
    ],
  }),
  compose: tests('long/compose', {
    shows:
      'the services of compose.yaml work together, each as a process with its own settings, secrets and database role',
    guards: ['deploy/compose.yaml', 'deploy/postgres', ...running, ...settings, ...tables],
  }),
  'service-links': tests('long/service-links', {
    shows: 'the program starts beside services of Kubernetes that have the names of its listeners',
    guards: settings,
  }),
  'listener-certificates': tests('long/listener-certificates', {
    shows:
      'every listener serves TLS, and its certificate changes with the files, by itself, on SIGHUP and by command',
    guards: [...tls, ...listeners, compose, 'src/cli/commands/reload.ts'],
  }),
  'client-certificates': tests('long/client-certificates', {
    shows:
      'gateways and bank judge client and signing certificates alike, each fault with its code',
    guards: [
      ...tls,
      edge,
      `${compose}/*trust*.ts`,
      `${compose}/client-certificates.ts`,
      `${registry}/certificates`,
      `${bank}/seal-check.ts`,
      `${bank}/signature.ts`,
    ],
  }),
  'portal-apart': tests('long/portal-apart', {
    shows: 'portal and gateway each run without the other',
    guards: [portal, ...counters, ...running],
  }),
  'portal-outages': tests('long/portal-outages', {
    shows: 'without the portal the gateway serves on; without the gateway the portal says so',
    guards: [portal, 'src/portal-ui', ...running],
  }),
  'sandbox-apart': tests('long/sandbox-apart', {
    shows: 'a portal shows the sandbox of a bank in another process',
    guards: [compose, 'src/backend/sandbox', `${portal}/sandbox-bank.ts`],
  }),
  'several-portals': tests('long/several-portals', {
    shows:
      'two portals on one PostgreSQL and one Redis are one portal, even while the stores stand still',
    guards: [portal, compose, ...postgres, ...platform('redis/*redis*', 'process/queue-worker')],
  }),
  'several-portals-oidc': tests('long/several-portals-oidc', {
    shows: 'a sign-in by OpenID Connect that begins at one portal ends at another',
    guards: [`${portal}/oidc`, `${portal}/accounts`],
  }),

  erasure: tests('long/erasure', {
    shows: 'the gateway reports a deletion of the portal to the bank, each role in its own process',
    guards: [
      compose,
      `${operate}/end-at-bank.ts`,
      `${portal}/metrics/watch-applications.ts`,
      `${registry}/applications/deleted-applications.ts`,
      `${bank}/application-ends.ts`,
      `${bank}/processes/end-application.ts`,
    ],
  }),

  // Documents of others.
  directory: tests('long/directory', {
    shows:
      'the 2,639 public documents that npm has are published unchanged, but those that a ledger lists with the reason; one gateway with all of them starts within 60 s in 2.5 GB, and forwards each GET as it was sent',
    guards: ['src/catalogue', 'src/portal/documents', 'proofs/own-api'],
  }),

  // The bank.
  'bank-fuzz': sizedTests('long/bank-fuzz', {
    shows: 'the bank answers 220 random inputs for each operation as the contract says',
    guards: [bank, 'config', 'src/catalogue'],
  }),
  'bank-model': sizedTests('long/bank-model', {
    shows: 'the bank agrees with its model over 100 random sequences of 100 steps',
    guards: [bank],
  }),
  'bank-money': sizedTests('long/bank-money', {
    shows: 'no money appears or disappears over 1,000 payments and 8 killed processes',
    guards: [bank],
  }),
  samples: sizedTests('long/samples', {
    shows: 'every sample of the reference works in curl, Node.js and Python',
    guards: ['config', bank, 'src/guides', `${portal}/guides`, `${portal}/samples`],
  }),

  // Pages.
  'portal-pages': sizedTests('pages/portal-pages', {
    shows:
      'every state of every page keeps WCAG 2.2 AA and fits, in light, dark, zoomed, on a phone and from right to left',
    guards: [...page, 'config', 'test/support/brand'],
  }),
  'page-trouble': tests('pages/page-trouble', {
    shows: 'pages say what to do when the portal does not answer, answers late or has changed',
    guards: page,
  }),
  requests: tests('pages/requests', {
    shows: 'a first visit of any page needs at most 25 requests',
    guards: page,
  }),
  'layout-shift': tests('pages/layout-shift', {
    shows: 'while answers arrive late, no page moves what is shown by more than 0.05',
    guards: page,
  }),
  browser: tests('pages/browser', {
    shows:
      'the first load is at most 300 KB, nothing that people type runs, and the way to the first key needs no mouse',
    guards: page,
  }),
  'first-hour': tests('pages/first-hour', {
    shows:
      'from the landing page to the balances of a sandbox customer it takes at most 6 clicks and 5 fields',
    guards: [...page, bank],
  }),
  'page-details': tests('pages/page-details', {
    shows:
      'language, focus, history, search by keyboard and errors of the pages are as people expect',
    guards: page,
  }),
  'try-it': tests('pages/try-it', {
    shows: '"Try it" leads from one answer to the next call, and shows each in three languages',
    guards: [...page, bank],
  }),
  'own-playground': tests('pages/own-playground', {
    shows:
      'the playground of an own API asks for each value of the path, masks its secrets and asks for each once, and loads only the chosen ones of 900 operations',
    guards: [...page, 'src/catalogue', 'src/portal/documents'],
  }),
  'key-forms': tests('pages/key-forms', {
    shows:
      'forms about keys, addresses and lifetimes keep what was typed and offer nothing that the portal refuses',
    guards: [
      ...page,
      `${registry}/keys/allowed-addresses.ts`,
      `${registry}/applications/redirect-origins.ts`,
      'src/platform/http/redirect-target.ts',
    ],
  }),
  'second-factor-pages': tests('pages/second-factor-pages', {
    shows: 'a second factor is set up, used, lost and replaced',
    guards: [...page, `${portal}/stores/accounts/factor*.ts`],
  }),
  'oidc-pages': tests('pages/oidc-pages', {
    shows: 'people sign in, confirm a change and sign in again at an OpenID provider',
    guards: [...page, `${portal}/stores/accounts/identities.ts`],
  }),
  'certificates-page': tests('pages/certificates-page', {
    shows: 'a developer pastes, makes, saves and removes certificates',
    guards: [...page, 'src/certificates'],
  }),
  'security-events-page': tests('pages/security-events-page', {
    shows: 'an operator finds security events by application, kind, time and key',
    guards: [
      ...page,
      `${registry}/audit/security-event-log.ts`,
      'src/platform/log/security-events.ts',
    ],
  }),

  reference: tests('pages/reference', {
    shows:
      'the reference shows each operation with its samples, and lets a developer subscribe to it and try it',
    guards: [...page, 'config'],
  }),
  'long-reference': tests('pages/long-reference', {
    shows:
      'the reference of 900 operations starts at most 2 s later, sends its first byte within 100 ms, and draws what is in sight; a page of one operation is at most 300 KB',
    guards: [...page, 'src/catalogue'],
  }),
  drills: tests('pages/drills', {
    shows: 'the playground runs drills, and the page says which',
    guards: [
      ...page,
      `${edge}/drill*.ts`,
      `${edge}/checks/drill.ts`,
      `${edge}/forward/begin-drill.ts`,
      'src/platform/http/drills.ts',
    ],
  }),
  'factor-for-everyone': tests('pages/factor-for-everyone', {
    shows: 'if every developer needs a second factor, the page leads to the profile first',
    guards: page,
  }),
  'no-sandbox': tests('pages/no-sandbox', {
    shows: 'without a sandbox the page promises no customers of one',
    guards: [...page, 'src/platform/settings/sandbox.ts'],
  }),
  'sca-pages': tests('pages/sca-pages', {
    shows: 'a PSU without scripts signs in, picks, approves and is back at the TPP',
    guards: [bank, 'src/messages'],
  }),

  // Speed, memory and growth.
  bench: program(
    'bench/main',
    {
      shows: 'an enforced call costs less than what people would build or buy',
      guards: [
        ...calls,
        ...counters,
        ...log,
        ...running,
        operate,
        registry,
        'bin/node-options.json',
        ...platform('process/collect-when-idle', 'process/short-lived'),
      ],
    },
    ({ isWhole }) => (isWhole ? [] : ['--rounds', '3', '--seconds', '1']),
  ),
  'bench-bank': program('bench/bank', {
    shows: 'what a read costs inside the bank',
    guards: [bank],
    isMeasurement: true,
  }),
  'bench-records': program(
    'bench/records',
    {
      shows: 'what call records cost an admitted call',
      guards: [`${operate}/calls`, `${operate}/usage`, `${operate}/call-recorder.ts`],
      isMeasurement: true,
    },
    ({ isWhole }) => (isWhole ? [] : ['--rounds', '3', '--seconds', '2']),
  ),
  'bench-scale': program(
    'bench/scale',
    {
      shows: 'what many gateways ask of one PostgreSQL and one Redis',
      guards: [...counters, ...postgres, compose, registry],
      isMeasurement: true,
    },
    ({ isWhole }) => (isWhole ? [] : ['--gateways', '10', '--seconds', '20', '--calls', '50']),
  ),
  'bench-slow': program(
    'bench/slow',
    {
      shows: 'what callers with a key notice while others are slow, idle, hasty or many',
      guards: [...calls, ...tls, portal],
    },
    ({ isWhole }) => (isWhole ? [] : ['--rounds', '1', '--seconds', '3']),
  ),
  'bench-soak': program(
    'bench/soak',
    {
      shows: 'memory, open files and Redis keys do not grow over 30 minutes of load',
      guards: [
        ...calls,
        ...counters,
        ...postgres,
        ...embedded,
        ...running,
        operate,
        registry,
        bank,
      ],
    },
    ({ isWhole }) => (isWhole ? [] : ['--minutes', '6']),
  ),
}
