import { availableParallelism } from 'node:os'
import { dirname } from 'node:path/posix'

/** How a proof is run. */
export interface ProofRun {
  readonly seed: string
  /** In full; else the share of it that takes minutes. */
  readonly isWhole: boolean
}

/** A claim about a time, a size, a fleet or a fault, and what shows that it holds. */
export interface Proof {
  readonly shows: string
  /** Files and folders, from the root, whose changes can break it. */
  readonly guards: readonly string[]
  /** Its own file, or the folder of its program. */
  readonly own: string
  /** Whether a run that is not whole does only a share. */
  readonly hasShare: boolean
  /** Whether it is a program, which takes arguments of its own. */
  readonly isProgram: boolean
  /** Arguments of Node. */
  command(run: ProofRun): readonly string[]
}

type Told = Pick<Proof, 'shows' | 'guards'>

/** A file of tests, each of which takes its sizes from `proofSize` if there is a share. */
function tests(file: string, told: Told, hasShare = false): Proof {
  const own = `proofs/${file}.test.ts`
  return {
    ...told,
    ...{ own, hasShare, isProgram: false },
    command: () => ['test/run.ts', '--apart', own],
  }
}

function sizedTests(file: string, told: Told): Proof {
  return tests(file, told, true)
}

function program(file: string, told: Told, args?: (run: ProofRun) => readonly string[]): Proof {
  return {
    ...told,
    ...{ own: dirname(`proofs/${file}`), hasShare: args !== undefined, isProgram: true },
    command: (run) => [`proofs/${file}.ts`, ...(args?.(run) ?? [])],
  }
}

const edge = 'src/gateway/edge'
const upstream = 'src/gateway/upstream'
const counters = 'src/gateway/counters'
const registry = 'src/gateway/registry'
const operate = 'src/gateway/operate'
const portal = 'src/gateway/portal'
const page = ['src/portal-ui', 'src/guides', 'src/messages/en.json', 'src/messages/he.json']
const bank = 'src/backend'
const compose = 'src/compose'

/** What `npm run prove` runs, by name. */
export const proofs: Readonly<Record<string, Proof>> = {
  // No call is lost or made twice.
  'arrives-once': sizedTests('long/arrives-once', {
    shows: 'none of 10,000 faulted POST, PUT and DELETE calls reaches the bank twice',
    guards: [edge, upstream],
  }),
  'in-step': sizedTests('long/in-step', {
    shows: '100,000 random exchanges on reused connections stay in step, with TCP and with TLS',
    guards: [edge, upstream],
  }),
  stop: tests('long/stop', {
    shows: 'SIGTERM under load fails no call',
    guards: [
      edge,
      'src/platform/end-gently.ts',
      'src/main.ts',
      'src/cli/commands/start.ts',
      compose,
    ],
  }),
  'rolling-restart': sizedTests('long/rolling-restart', {
    shows: '20 restarts and 200 reloads behind each balancer fail none of 100,000 calls',
    guards: [edge, upstream, compose, 'src/main.ts', 'deploy/nginx.conf', 'deploy/haproxy.cfg'],
  }),
  upgrade: sizedTests('long/upgrade', {
    shows:
      'the release before and this one serve side by side and in turn, behind each balancer, without a failed or miscounted call',
    guards: ['src/gateway/registry/migrations', 'src/platform/migrate.ts', counters, compose],
  }),
  rotation: sizedTests('long/rotation', {
    shows:
      'three rotations of each secret, as docs/rotation.md says, fail none of 50,000 calls behind HAProxy and end no session',
    guards: [
      'docs/rotation.md',
      compose,
      'src/gateway/registry/key-peppers.ts',
      'src/gateway/portal/accounts',
      'src/platform/watched-files.ts',
      'src/platform/database-logins.ts',
    ],
  }),
  'tls-reload': sizedTests('long/tls-reload', {
    shows: '200 reloads of the certificate under load fail no call',
    guards: ['src/gateway/edge/listener.ts', 'src/platform/tls.ts', 'src/certificates'],
  }),
  'reload-wait': tests('long/reload-wait', {
    shows:
      '`reload --wait` lists every process, names those that lag or refuse, and leaves one audit entry',
    guards: [
      'src/compose/follow-reloads.ts',
      'src/compose/publisher.ts',
      'src/cli/commands/reload.ts',
      'src/gateway/registry/configurations.ts',
    ],
  }),
  'new-version': tests('long/new-version', {
    shows: 'a new version and a new plan are one file each, and a reload puts them in force',
    guards: ['src/catalogue', 'src/compose/follow-reloads.ts'],
  }),
  workers: sizedTests('long/workers', {
    shows:
      'four workers admit exactly the limit in each of ten windows, and lose nothing but what a killed one had',
    guards: ['src/workers', counters, 'src/platform/database-connections.ts'],
  }),

  // Limits are exact.
  'many-processes': sizedTests('long/many-processes', {
    shows: 'four processes admit exactly 100 of 500 concurrent calls in each of ten windows',
    guards: [counters],
  }),
  'rehearsed-plan': tests('long/rehearsed-plan', {
    shows: 'two processes count a rehearsed plan as exactly as an enforced one, and refuse nothing',
    guards: [
      counters,
      'src/gateway/edge/checks/rehearse.ts',
      `${operate}/usage`,
      `${registry}/rehearsed-usage.ts`,
    ],
  }),
  'lost-counters': sizedTests('long/lost-counters', {
    shows: '10,000 buckets of four processes survive lost counters without a call granted twice',
    guards: [counters],
  }),
  'redis-outage': tests('long/redis-outage', {
    shows:
      'without Redis processes admit their shares, refuse what is used up, and agree again when it is back',
    guards: [counters],
  }),
  'redis-cluster': tests('long/redis-cluster', {
    shows:
      'on a Redis Cluster counts stay exact while slots move, primaries change and nodes are lost',
    guards: [counters],
  }),
  'redis-sentinel': tests('long/redis-sentinel', {
    shows: 'behind sentinels no switch of the primary loses a count or grants a forgotten one',
    guards: [counters],
  }),
  'window-end': tests('long/window-end', {
    shows:
      'what a refusal says of the end of its window does not depend on how long it was on its way',
    guards: [counters],
  }),
  'counting-claim': tests('long/counting-claim', {
    shows:
      'gateways that count apart on one PostgreSQL are refused or named, and a killed one bars nobody for long',
    guards: ['src/compose/counting-claim.ts', 'src/platform/roster.ts'],
  }),
  'prove-command': tests('long/prove-command', {
    shows: '`tollgate prove` finds every number of a window given once, and what breaks that',
    guards: ['src/cli/commands/prove.ts', 'src/cli/judge-window.ts'],
  }),
  'prove-window': tests('long/prove-window', {
    shows:
      'on a live system each number of a window was given once, by gateways and workers that run and that ended',
    guards: ['src/cli/commands/prove.ts', counters],
  }),
  simulate: program(
    'simulation/main',
    {
      shows: '1,000,000 simulated schedules of faults break no promise of the counters',
      guards: [counters, 'test/simulation'],
    },
    ({ seed, isWhole }) => [
      '--seed',
      seed,
      '--schedules',
      isWhole ? '1000000' : '20000',
      '--workers',
      String(availableParallelism()),
    ],
  ),
  'planted-faults': sizedTests('long/simulation', {
    shows: 'the simulation finds each planted fault of the counters within 3,000 schedules',
    guards: [counters, 'test/simulation'],
  }),

  // Hostile clients.
  attacks: {
    ...program(
      'attacks/main',
      {
        shows:
          'no attack of the corpus desynchronises the gateway, nginx and HAProxy beside it, and each planted fault is found',
        guards: [edge, upstream],
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
    guards: [edge],
  }),
  'slow-clients': tests('long/slow-clients', {
    shows:
      'whoever trickles headers or bodies, or never reads an answer, is cut off in time while others are served',
    guards: [edge, 'src/platform/http-server.ts'],
  }),
  costs: tests('long/costs', {
    shows: 'what a stranger sends costs little memory and processor time',
    guards: [edge, portal, 'src/catalogue'],
  }),
  flood: tests('long/flood', {
    shows: '100,000 forged keys at once keep no valid one from being recognised',
    guards: [
      'src/gateway/registry/authenticator.ts',
      'src/gateway/registry/key-lookups.ts',
      'src/gateway/registry/key-cache.ts',
    ],
  }),
  guessing: tests('long/guessing', {
    shows:
      'guessing at passwords is bounded, tells nothing by its time, and never locks the owner out of a known browser',
    guards: ['src/gateway/portal/accounts'],
  }),
  'password-guesses': tests('long/password-guesses', {
    shows: 'of a thousand passwords from a thousand networks thirty are compared',
    guards: ['src/gateway/portal/accounts'],
  }),
  leaks: tests('long/leaks', {
    shows:
      'no secret of a key is in an answer, a log line, a metric, a file, or a request to the backend',
    guards: [edge, operate, registry, portal],
  }),

  'override-moment': tests('long/override-moment', {
    shows: 'an override with its moment seconds away ends at that moment',
    guards: ['src/gateway/registry/overrides.ts'],
  }),

  // Stores that fail, move and lose.
  faults: program(
    'faults/main',
    {
      shows: 'what docs/faults.md promises holds in all experiments',
      guards: [counters, registry, edge, compose],
    },
    ({ seed, isWhole }) => ['--seed', seed, ...(isWhole ? [] : ['--share'])],
  ),
  'store-outages': tests('long/store-outages', {
    shows:
      'gateways start and serve without Redis, and without PostgreSQL serve the keys they know',
    guards: [counters, registry, compose],
  }),
  'database-servers': tests('long/database-servers', {
    shows:
      'of several PostgreSQL servers the primary is found, followed and never searched in vain',
    guards: [
      'src/platform/database.ts',
      'src/platform/database-servers.ts',
      'src/platform/database-logins.ts',
    ],
  }),
  failover: tests('long/failover', {
    shows:
      'when primary and standby of PostgreSQL change places, processes work on, and no revoked key works again',
    guards: [
      'src/platform/database.ts',
      'src/platform/database-servers.ts',
      'src/gateway/registry/change-feed.ts',
    ],
  }),
  pooler: tests('long/pooler', {
    shows:
      'through PgBouncer in transaction mode gateways, portal and commands work, and no lock stays',
    guards: ['src/platform/database.ts', registry, compose],
  }),
  revocation: sizedTests('long/revocation', {
    shows: 'a key revoked in one process is refused by all others within a second',
    guards: [
      'src/gateway/registry/change-feed.ts',
      'src/gateway/registry/authenticator.ts',
      'src/gateway/registry/key-cache.ts',
    ],
  }),
  'issue-and-kill': tests('long/issue-and-kill', {
    shows: 'every key that was shown works after the process that issued it was killed',
    guards: [registry, 'src/platform/embedded-database.ts'],
  }),
  'usage-recording': tests('long/usage-recording', {
    shows: 'processes count every call once in every step, however late and from how many',
    guards: ['src/gateway/operate/usage', 'src/gateway/operate/calls'],
  }),
  'audit-verify': sizedTests('long/audit-verify', {
    shows:
      'of 100,000 entries of the audit log, any that is changed, removed or moved is found and named',
    guards: ['src/gateway/registry/audit', 'src/cli/commands/audit.ts'],
  }),
  availability: sizedTests('long/availability', {
    shows:
      'over outages of three gateways at 2,000 calls/s the availability report and the ledger of the client are 0 ms apart',
    guards: ['src/gateway/operate/availability', 'src/gateway/registry/availability'],
  }),
  recover: sizedTests('long/recover', {
    shows:
      'a backup of 100,000 rows made under load brings back keys, consents, counts and the audit log after everything but the secrets is lost',
    guards: [
      'src/cli/commands/backup.ts',
      'src/cli/commands/restore.ts',
      'src/cli/move-rows.ts',
      'src/platform/move',
    ],
  }),
  move: tests('long/move', {
    shows:
      'embedded to PostgreSQL and back: the same keys answer, and usage, payments, consents, balances and the audit are the same',
    guards: [
      'src/cli/commands/export.ts',
      'src/cli/commands/import.ts',
      'src/cli/move-rows.ts',
      'src/platform/move',
    ],
  }),
  'lost-data': tests('long/lost-data', {
    shows:
      'a data folder that lost files or room is named in one line, and never taken for a new one',
    guards: [
      'src/platform/data-folder.ts',
      'src/platform/database-folder.ts',
      'src/platform/embedded-database.ts',
      'src/compose/first-start.ts',
    ],
  }),
  log: tests('long/log', {
    shows:
      'a full disk under the log, or a log that nobody reads, costs lines, no calls and no orderly end',
    guards: ['src/platform/log.ts'],
  }),
  'reload-memory': tests('long/reload-memory', {
    shows: 'a reload under calls keeps nothing of the configuration before it',
    guards: ['src/catalogue', 'src/compose/follow-reloads.ts', edge],
  }),

  // One installation in all its shapes.
  welcome: tests('long/welcome', {
    shows:
      'every start shows its addresses and one next command, and what it shows works as pasted',
    guards: ['src/compose/welcome.ts', 'src/compose/first-start.ts'],
  }),
  launcher: tests('long/launcher', {
    shows: 'whatever Node is there runs commands and the program, and hands signals on to it',
    guards: ['bin', 'package.json'],
  }),
  package: tests('long/package', {
    shows: 'a release holds all that it needs and nothing else, and installs without Node',
    guards: ['release', 'bin', 'package.json', 'package-lock.json'],
  }),
  release: sizedTests('long/release', {
    shows:
      'one command makes commit, tag and files of a release, and its tag gives the same bytes in another folder',
    guards: ['release', 'package.json', 'package-lock.json'],
  }),
  'production-block': tests('long/production-block', {
    shows:
      "the commands of README's section Production start a gateway, a portal and a bank that answers a call",
    guards: ['README.md', compose, 'src/platform/settings.ts'],
  }),
  kubernetes: tests('long/kubernetes', {
    shows:
      'the pods of the overlay ha work together with the secrets and database roles of docs/kubernetes.md',
    guards: ['deploy/kubernetes', 'docs/kubernetes.md', 'src/platform/settings.ts'],
  }),
  prometheus: tests('long/prometheus', {
    shows:
      'a Prometheus that scrapes gateway, portal and bank has data for each panel, rule and documented metric',
    guards: ['deploy/prometheus', 'deploy/grafana', 'docs/monitoring.md', operate],
  }),
  compose: tests('long/compose', {
    shows:
      'the services of compose.yaml work together, each as a process with its own settings, secrets and database role',
    guards: ['deploy/compose.yaml', 'deploy/postgres', 'src/platform/settings.ts'],
  }),
  'service-links': tests('long/service-links', {
    shows: 'the program starts beside services of Kubernetes that have the names of its listeners',
    guards: ['src/platform/settings.ts'],
  }),
  'listener-certificates': tests('long/listener-certificates', {
    shows:
      'every listener serves TLS, and its certificate changes with the files, by itself, on SIGHUP and by command',
    guards: [
      'src/platform/tls.ts',
      'src/platform/watched-files.ts',
      'src/certificates',
      'src/cli/commands/reload.ts',
    ],
  }),
  'client-certificates': tests('long/client-certificates', {
    shows: 'workers and bank judge client and signing certificates alike, each fault with its code',
    guards: ['src/certificates', edge, 'src/workers'],
  }),
  'portal-apart': tests('long/portal-apart', {
    shows: 'portal and gateway each run without the other',
    guards: [portal, compose],
  }),
  'portal-outages': tests('long/portal-outages', {
    shows: 'without the portal the gateway serves on; without the gateway the portal says so',
    guards: [portal, compose],
  }),
  'sandbox-apart': tests('long/sandbox-apart', {
    shows: 'a portal shows the sandbox of a bank in another process',
    guards: ['src/backend/sandbox', 'src/gateway/portal/sandbox-bank.ts'],
  }),
  'several-portals': tests('long/several-portals', {
    shows:
      'two portals on one PostgreSQL and one Redis are one portal, also while the stores stand still',
    guards: ['src/gateway/portal/accounts', compose],
  }),
  'several-portals-oidc': tests('long/several-portals-oidc', {
    shows: 'a sign-in by OpenID Connect that begins at one portal ends at another',
    guards: ['src/gateway/portal/oidc'],
  }),

  erasure: tests('long/erasure', {
    shows:
      'with roles in processes of their own, the gateway tells the bank what the portal deleted',
    guards: [
      'src/gateway/operate/end-at-bank.ts',
      'src/gateway/portal/watch-applications.ts',
      'src/backend/application-ends.ts',
    ],
  }),

  // The bank.
  'bank-fuzz': sizedTests('long/bank-fuzz', {
    shows: 'the bank answers 220 random inputs for each operation as the contract says',
    guards: [bank, 'config'],
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
    guards: ['config', bank, 'src/gateway/portal/samples'],
  }),

  // Pages.
  'portal-pages': sizedTests('pages/portal-pages', {
    shows:
      'every state of every page keeps WCAG 2.2 AA and fits, in light, dark, zoomed, on a phone and from right to left',
    guards: [...page],
  }),
  'page-trouble': tests('pages/page-trouble', {
    shows: 'pages say what to do when the portal does not answer, answers late or has changed',
    guards: [...page],
  }),
  browser: tests('pages/browser', {
    shows:
      'the first load is at most 300 KB, nothing that people type runs, and the way to the first key needs no mouse',
    guards: [...page],
  }),
  'first-hour': tests('pages/first-hour', {
    shows:
      'from the landing page to the balances of a sandbox customer it takes at most 6 clicks and 5 fields',
    guards: [...page, portal],
  }),
  'page-details': tests('pages/page-details', {
    shows:
      'language, focus, history, search by keyboard and errors of the pages are as people expect',
    guards: [...page],
  }),
  'try-it': tests('pages/try-it', {
    shows: '"Try it" leads from one answer to the next call, and shows each in three languages',
    guards: [...page, 'src/gateway/portal/samples'],
  }),
  'key-forms': tests('pages/key-forms', {
    shows:
      'forms about keys, addresses and lifetimes keep what was typed and offer nothing that the portal refuses',
    guards: [...page],
  }),
  'second-factor-pages': tests('pages/second-factor-pages', {
    shows: 'a second factor is set up, used, lost and replaced',
    guards: [...page, 'src/gateway/portal/accounts'],
  }),
  'oidc-pages': tests('pages/oidc-pages', {
    shows: 'people sign in, confirm a change and sign in again at an OpenID provider',
    guards: [...page, 'src/gateway/portal/oidc'],
  }),
  'certificates-page': tests('pages/certificates-page', {
    shows: 'a developer pastes, makes, saves and removes certificates',
    guards: [...page],
  }),
  'security-events-page': tests('pages/security-events-page', {
    shows: 'an operator finds security events by application, kind, time and key',
    guards: [...page],
  }),

  reference: tests('pages/reference', {
    shows:
      'the reference shows each operation with its samples, and lets a developer subscribe to it and try it',
    guards: page,
  }),
  drills: tests('pages/drills', {
    shows: 'the playground runs drills, and the page says which',
    guards: page,
  }),
  'factor-for-everyone': tests('pages/factor-for-everyone', {
    shows: 'where everybody needs a second factor, the page leads to the profile first',
    guards: page,
  }),
  'no-sandbox': tests('pages/no-sandbox', {
    shows: 'without a sandbox the page promises no customers of one',
    guards: page,
  }),
  'sca-pages': tests('pages/sca-pages', {
    shows: 'a PSU without scripts signs in, picks, approves and is back at the TPP',
    guards: ['src/backend/sca'],
  }),

  // Speed, memory and growth.
  bench: program(
    'bench/main',
    {
      shows: 'an enforced call costs less than what people would build or buy',
      guards: [edge, upstream, counters, operate],
    },
    ({ isWhole }) => (isWhole ? [] : ['--rounds', '3', '--seconds', '1']),
  ),
  'bench-bank': program('bench/bank', {
    shows: 'what a read costs inside the bank',
    guards: [bank],
  }),
  'bench-records': program(
    'bench/records',
    {
      shows: 'what remembering calls for developers costs an admitted call',
      guards: ['src/gateway/operate/calls', 'src/gateway/operate/usage'],
    },
    ({ isWhole }) => (isWhole ? [] : ['--rounds', '3', '--seconds', '2']),
  ),
  'bench-scale': program(
    'bench/scale',
    {
      shows: 'what many gateways ask of one PostgreSQL and one Redis',
      guards: [registry, counters],
    },
    ({ isWhole }) => (isWhole ? [] : ['--gateways', '10', '--seconds', '20', '--calls', '50']),
  ),
  'bench-slow': program(
    'bench/slow',
    {
      shows: 'what callers with a key notice while others are slow, idle, hasty or many',
      guards: [edge, portal, 'src/platform/http-server.ts'],
    },
    ({ isWhole }) => (isWhole ? [] : ['--rounds', '1', '--seconds', '3']),
  ),
  'bench-soak': program(
    'bench/soak',
    {
      shows: 'memory, open files and Redis keys do not grow over 30 minutes of load',
      guards: [edge, counters, operate],
    },
    ({ isWhole }) => (isWhole ? [] : ['--minutes', '6']),
  ),
}
