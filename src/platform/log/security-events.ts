import { Counter, type Registry } from 'prom-client'
import { repeatedly } from '../process/repeatedly.ts'
import type { Logger } from './log.ts'

/** One kind of security event: how its log line looks, and its row in docs/audit.md. */
interface SecurityEventRow {
  /** Level of the log line. `warn`: a client was refused. `error`: an operator must look. */
  readonly level: 'info' | 'warn' | 'error'
  /** Message of the log line. */
  readonly text: string
  /** What it means and which facts it has; Markdown. */
  readonly meaning: string
  /** Every possible `reason`, a label of the metric; absent for events without one. */
  readonly reasons?: readonly string[]
  /** A change, which the audit log has; every other event gets a row in the table `security_events`. */
  readonly isChange?: true
}

const table = {
  'sign-in.accepted': {
    level: 'info',
    text: 'a developer signed in',
    meaning:
      'A developer or operator signed in. `actor`; `detail` has the second factor (`totp`, `passkey`, `recovery-code`), `none`, or `oidc`',
  },
  'sign-in.refused': {
    level: 'warn',
    text: 'a sign-in was refused',
    meaning:
      'A sign-in failed: wrong address or password (`credentials`), a suspended account, one that waits for approval, an operator without a second factor (`unenrolled`), or an answer of the OpenID Connect provider that the portal does not accept (`provider`). `subject` if the account exists',
    reasons: ['credentials', 'suspended', 'unapproved', 'unenrolled', 'provider'],
  },
  'sign-in.throttled': {
    level: 'warn',
    text: 'a sign-in was throttled',
    meaning:
      'A network, address, browser or session has used up its attempts to sign in, or a developer the attempts with codes; nothing was compared. `detail.limit` names the [limit](accounts.md#limits-on-attempts)',
  },
  'sign-in.locked': {
    level: 'error',
    text: 'the password of an account was locked',
    meaning: 'An account had too many wrong passwords in a row. Its owner gets an email. `subject`',
  },
  'proof.accepted': {
    level: 'info',
    text: 'a signed-in developer proved again who they are',
    meaning:
      'A session proved again who is there, for changes that ask for it. `actor`; `detail` has the second factor, `none` for a password, or `oidc`',
  },
  'factor.refused': {
    level: 'warn',
    text: 'a second factor was refused',
    meaning:
      'After the right password, or in a session, a code or passkey was wrong or already used; the password or the session may be stolen. `subject`',
  },
  'password.refused': {
    level: 'warn',
    text: 'a signed-in developer gave a wrong password',
    meaning:
      'A change of the account, a fresh proof or an enrolment link came with a wrong password; the session (`actor`) or the link may be stolen',
  },
  'request.throttled': {
    level: 'warn',
    text: 'a request to the portal was throttled',
    meaning:
      'A client requested too many emails (`mail`), password resets (`reset`) or ready consents (`consent`), downloaded their data too often (`export`) or asked for more calls too often (`wish`)',
    reasons: ['mail', 'reset', 'consent', 'export', 'wish'],
  },
  'change.throttled': {
    level: 'warn',
    text: 'changes by a signed-in developer were throttled',
    meaning:
      'A signed-in developer made too many changes (`change`) or keys (`key`); nothing was changed. `detail.limit`',
    reasons: ['change', 'key'],
  },
  'cross-site.refused': {
    level: 'warn',
    text: 'a request from another site was refused',
    meaning: "A browser sent a request that did not come from the portal's own pages",
  },
  'object.foreign': {
    level: 'warn',
    text: 'a developer asked for an object of another developer',
    meaning:
      'A developer asked for an application, key or subscription of another developer, and got 404. `actor`, `subject`',
  },
  'operator.granted': {
    level: 'warn',
    text: 'the group of the provider made a developer an operator',
    meaning:
      'A developer in the group `OIDC_OPERATOR_GROUP` signed in through the OpenID Connect provider and became an operator. `subject`',
  },
  'operator.withdrawn': {
    level: 'warn',
    text: 'the missing group of the provider took the operator role away',
    meaning:
      'An operator who is no longer in the group `OIDC_OPERATOR_GROUP` signed in through the OpenID Connect provider and lost the role. `subject`',
  },
  'operator.denied': {
    level: 'warn',
    text: 'a developer tried to open an operator page',
    meaning:
      'A developer without the operator role asked for `/api/operator/…` and got 404. `actor`',
  },
  'operator.read': {
    level: 'info',
    text: 'an operator read data of developers',
    meaning:
      'An operator read developers, applications, calls, refusals, the audit log or security events. `actor`, `subject`',
  },
  'operator.change': {
    level: 'info',
    text: 'an operator made a change',
    meaning:
      'An operator changed something, in the portal or by a command: an entry of the audit log',
    isChange: true,
  },
  'developer.change': {
    level: 'info',
    text: 'a developer made a change',
    meaning: 'A developer changed something: an entry of the audit log',
    isChange: true,
  },
  'system.change': {
    level: 'info',
    text: 'Tollgate made a change',
    meaning: 'Tollgate itself changed something: an entry of the audit log',
    isChange: true,
  },
  'key.refused': {
    level: 'warn',
    text: 'an API key was refused',
    meaning:
      'A call came with a key that does not work. `unknown`: the key does not exist, or its secret is wrong. `address`: the key works, but not from this address; it may be stolen. `keyId` is the public part of the key. `subject` is its application, for a key that works or once worked (`address`, `expired`, `revoked`)',
    reasons: ['malformed', 'unknown', 'expired', 'revoked', 'address'],
  },
  'key.exposed': {
    level: 'warn',
    text: 'an API key was sent in a URL',
    meaning:
      'A call had a key in its query, where proxies log it. The gateway refused the call. Rotate the key. `keyId`',
  },
  'key.throttled': {
    level: 'warn',
    text: 'a client sends too many invalid keys',
    meaning:
      'A network exceeded `AUTH_FAILURES_PER_MINUTE`, one event for each network and minute, or all unknown clients together exceeded ten times as many; or a network tried too often to make a key replace itself, with `detail.limit`',
  },
  'certificate.refused': {
    level: 'warn',
    text: 'a client certificate was refused',
    meaning:
      'A call came over a certificate that an operator has blocked (`blocked`), over one that the application of its key does not have (`foreign`), or without one although the application has any (`missing`): the key may be stolen. `detail.thumbprint`, if there is one; for `foreign` and `missing` also `keyId` and, as `subject`, the application of the key',
    reasons: ['blocked', 'foreign', 'missing'],
  },
  'configuration.reloaded': {
    level: 'info',
    text: 'a process uses a new configuration',
    meaning: 'A process loaded API documents and plans again',
  },
  'configuration.refused': {
    level: 'error',
    text: 'a process refused a new configuration',
    meaning: 'The new files are invalid, so the current configuration stays active',
  },
  'files.reloaded': {
    level: 'info',
    text: 'a process uses changed files of certificates',
    meaning:
      'A process loaded changed files again: a TLS certificate, authorities or revocation lists. `detail.files` names them as in `gateway_files_refused`',
  },
  'files.refused': {
    level: 'error',
    text: 'a process refused changed files of certificates',
    meaning:
      'Changed files are invalid or missing, so the previous ones stay active. `detail` has `files` and `reason`. At a start, the process ends with an error instead',
  },
  'audit.broken': {
    level: 'error',
    text: 'the audit log was changed outside Tollgate',
    meaning:
      'The newest part of the audit log is not what Tollgate wrote, and the process seals nothing more. See [what to do](audit.md#when-a-process-stops-sealing)',
  },
} as const satisfies Readonly<Record<string, SecurityEventRow>>

type Table = typeof table
export type SecurityEventName = keyof Table

/**
 * Every security event. Names are part of the public interface, because log
 * collectors and alert rules search for them: never rename one. A new event is
 * a row here; `npm run docs` writes its row in docs/audit.md.
 */
export const securityEvents: Readonly<Record<SecurityEventName, SecurityEventRow>> = table

type ReasonOf<Name extends SecurityEventName> = Table[Name] extends {
  readonly reasons: readonly (infer Reason)[]
}
  ? Reason
  : never
type NamedEvent = {
  [Name in SecurityEventName]: [ReasonOf<Name>] extends [never]
    ? { readonly event: Name; readonly reason?: undefined }
    : { readonly event: Name; readonly reason: ReasonOf<Name> }
}[SecurityEventName]

/** The actor of an event and the client address, as far as known. */
export interface Circumstances {
  /** `developer:<id>`, `staff:<id>`, `operator:<name of a system user>` or `system`. */
  readonly actor?: string | undefined
  /** The client's address in full; {@link SecurityEvents} records what RECORD_ADDRESSES allows. */
  readonly address?: string | undefined
  /** User-Agent as the client sent it. */
  readonly agent?: string | undefined
  /** UUID of the request. */
  readonly requestId?: string | undefined
}

/** What happened. Contains no secrets and no personal data. */
export type SecurityFact = NamedEvent & {
  /** What it is about: `<entity>:<id>`. */
  readonly subject?: string | undefined
  /** The public part of an API key. */
  readonly keyId?: string | undefined
  /** Further facts. Names of our own; values may come from the client and are cut. */
  readonly detail?: Readonly<Record<string, string>> | undefined
}

/** One security event: what happened, who caused it, and from where. */
export type SecurityEvent = SecurityFact & Circumstances

/** An event as stored: the address as far as it may be recorded, the agent cut. */
export interface KeptSecurityEvent {
  readonly at: Date
  readonly event: string
  readonly reason: string | null
  readonly actor: string | null
  readonly subject: string | null
  readonly keyId: string | null
  readonly address: string | null
  readonly agent: string | null
  readonly requestId: string | null
  readonly detail: Readonly<Record<string, string>>
}

/** The one place where security events are recorded: log line, metric and table. */
export interface SecurityEvents {
  /** Returns quickly and never throws. Writes the table later. */
  record(event: SecurityEvent): void
  /** Writes what is pending and stops. */
  close(): Promise<void>
}

export interface SecurityEventsOptions {
  readonly log: Logger
  readonly metricsRegistry: Registry
  /** {@link createRecordedAddress}. */
  readonly recordedAddress: (address: string) => string | undefined
  /** Writes rows to the table; undefined if the process has no table, such as a bank in its own process. */
  readonly keep: ((events: readonly KeptSecurityEvent[]) => Promise<void>) | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Pause between two writes. (Default: 1,000) */
  readonly writeEveryMs?: number
}

/** Events of one name: this many at once, then {@link perSecond}. So a flood of one cannot hide the others. */
const burst = 500
const perSecond = 50
/** Maximum number of events that wait for the table. */
const waitingMax = 5_000
const rowsPerStatement = 500

/**
 * Creates the recorder of a process.
 *
 * Under a flood, the log and the table get the first 500 events of each name
 * and then 50 a second; the metric counts every event, and
 * `gateway_security_events_lost_total` those without line and row. Changes are
 * never left out: the audit bounds them. While the database is away, 5,000
 * events wait.
 *
 * The lines are written whatever LOG_LEVEL is, unless it is `silent`.
 */
export function createSecurityEvents(options: SecurityEventsOptions): SecurityEvents {
  const { log, recordedAddress, keep, now } = options
  const stream = log.level === 'silent' ? log : log.child({}, { level: 'info' })
  const { count, lose } = createMetrics(options.metricsRegistry)
  const allowances = new Map<SecurityEventName, Allowance>()
  let waiting: KeptSecurityEvent[] = []

  function isWithin(name: SecurityEventName, at: number): boolean {
    let allowance = allowances.get(name)
    if (allowance === undefined) {
      allowance = { left: burst, at }
      allowances.set(name, allowance)
    }
    const seconds = Math.max(0, at - allowance.at) / 1000
    allowance.left = Math.min(burst, allowance.left + seconds * perSecond)
    allowance.at = at
    if (allowance.left < 1) return false
    allowance.left -= 1
    return true
  }

  async function write(): Promise<void> {
    while (keep !== undefined && waiting.length > 0) {
      const rows = waiting.slice(0, rowsPerStatement)
      await keep(rows)
      // Meanwhile new events came at the end, and at the maximum the oldest went.
      const written = new Set(rows)
      waiting = waiting.filter((row) => !written.has(row))
    }
  }

  const writing = repeatedly({
    everyMs: options.writeEveryMs ?? 1_000,
    work: write,
    onFailure: (err) => log.warn({ err }, 'security events not written to the database yet'),
  })

  return {
    record(given) {
      const { event, reason, actor, subject, keyId, requestId } = given
      const { level, text, isChange } = securityEvents[event]
      count(event, reason)
      const at = now()
      if (isChange !== true && !isWithin(event, at)) {
        lose(1)
        return
      }
      const address = given.address === undefined ? undefined : recordedAddress(given.address)
      const agent = given.agent === undefined ? undefined : cutText(given.agent)
      const detail = given.detail === undefined ? undefined : cutAll(given.detail)
      const facts = { event, reason, actor, subject, keyId, address, agent, requestId, detail }
      stream[level](facts, text)
      if (isChange === true || keep === undefined) return
      if (waiting.length >= waitingMax) {
        waiting.shift()
        lose(1)
      }
      waiting.push({
        at: new Date(at),
        event,
        reason: reason ?? null,
        actor: actor ?? null,
        subject: subject ?? null,
        keyId: keyId ?? null,
        address: address ?? null,
        agent: agent ?? null,
        requestId: requestId ?? null,
        detail: detail ?? {},
      })
    },

    async close() {
      await writing.close()
      await write().catch((err: unknown) => {
        lose(waiting.length)
        log.warn({ err, events: waiting.length }, 'security events not written to the database')
      })
    },
  }
}

interface Allowance {
  left: number
  /** Milliseconds since 1970 of the last look. */
  at: number
}

function createMetrics(registry: Registry) {
  const registers = [registry]
  const events = new Counter({
    name: 'gateway_security_events_total',
    help: 'Security events by name and reason',
    labelNames: ['event', 'reason'],
    registers,
  })
  const lost = new Counter({
    name: 'gateway_security_events_lost_total',
    help: 'Security events without log line and row: too many of one kind, or the database was away for too long',
    registers,
  })
  // Prometheus sees the first event as an increase only if it scraped a 0 before.
  for (const [event, { reasons = [''] }] of Object.entries(securityEvents)) {
    for (const reason of reasons) events.inc({ event, reason }, 0)
  }
  return {
    count: (event: string, reason = '') => events.inc({ event, reason }),
    lose: (count: number) => lost.inc(count),
  }
}

const textLengthMax = 200

/** Text of a client: bounded, on one line, storable (PostgreSQL stores no NUL). */
export function cutText(text: string): string {
  return text.slice(0, textLengthMax).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\ufffd')
}

function cutAll(detail: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, cutText(value)]))
}
