import type { Kysely } from 'kysely'
import {
  type ApiVersion,
  type Catalogue,
  type Lifecycle,
  versionKey,
} from '../../catalogue/catalogue.ts'
import { createOverrides } from '../../registry/applications/overrides.ts'
import type { RegistryTransaction } from '../../registry/transaction.ts'
import { createCallRecords } from '../../registry/usage/call-records.ts'
import type { Events } from '../alerts/events.ts'
import { replayApplication } from '../replay/replay-application.ts'
import {
  findUnreminded,
  listSubscribed,
  noteReminder,
  type Reminder,
  type UnremindedDeveloper,
} from '../stores/alerts/deprecation-mails.ts'
import type { PortalSchema, PortalTransaction } from '../stores/schema.ts'
import type { Outbox } from './outbox.ts'
import { dayOf, daysBetween } from './utc-time.ts'

/** Reminds developers of versions that end while their applications are subscribed to them. */
export interface DeprecationReminders {
  /** Writes every reminder that is due and not written yet, by whichever process. */
  run(): Promise<void>
}

export interface DeprecationRemindersOptions {
  readonly db: Kysely<PortalSchema>
  readonly catalogue: () => Catalogue
  readonly outbox: Outbox
  readonly events: Events
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const daysBefore = [90, 30, 7] as const
const developersMax = 50
const callDays = 30

/**
 * Sends one mail per developer, version and milestone, across all processes and
 * restarts: the transaction that writes the letter also records it.
 */
export function createDeprecationReminders(
  options: DeprecationRemindersOptions,
): DeprecationReminders {
  const { db, catalogue, outbox, events, now } = options

  async function remind(version: ApiVersion, due: Milestone, today: string): Promise<void> {
    const reminder = { api: version.api, version: version.version, milestone: due.name }
    for (;;) {
      const developers = await findUnreminded(db, { ...reminder, max: developersMax })
      if (developers.length === 0) return
      for (const developer of developers) {
        await write(version.lifecycle, reminder, { ...developer, due, today })
      }
    }
  }

  function write(
    lifecycle: Lifecycle,
    reminder: Reminder,
    to: UnremindedDeveloper & { due: Milestone; today: string },
  ): Promise<void> {
    const { api, version } = reminder
    const { id: developerId, email, wantsMail, due, today } = to
    return db.transaction().execute(async (trx) => {
      if (!(await noteReminder(trx, { ...reminder, developerId }))) return
      const since = new Date(now() - callDays * 86_400_000)
      const applications = await listSubscribed(trx, { developerId, api, version, since })
      const { deprecated, sunset, retired, successor } = lifecycle
      const daysLeft = due.end === undefined ? undefined : daysBetween(today, due.end)
      const dates = { deprecated, sunset, retired, successor, daysLeft }
      for (const { id: applicationId } of applications) {
        const event = { type: 'version.deprecated', api, version, ...orNull(dates) } as const
        await events.post(trx, event, { applicationId, at: new Date(now()) })
      }
      const told = []
      for (const { byMail, plan, ...application } of applications) {
        if (!byMail) continue
        const replay = await replayOf(trx, reminder, successor, {
          applicationId: application.id,
          plan,
        })
        told.push({ ...application, ...(replay === undefined ? {} : { replay }) })
      }
      if (!wantsMail || told.length === 0) return
      const facts = { developerId, api, version, applications: told, ...dates }
      await outbox.post(trx, { kind: 'deprecation', ...facts }, email)
    })
  }

  /** The predicted result of the application's recorded calls in the successor; undefined without one, or without calls. */
  async function replayOf(
    trx: PortalTransaction,
    { api, version }: Reminder,
    successor: string | undefined,
    application: { readonly applicationId: string; readonly plan: string },
  ) {
    const published = catalogue()
    const from = published.versions.get(versionKey(api, version))
    const to = published.versions.get(versionKey(api, successor ?? ''))
    if (from === undefined || to === undefined) return undefined
    const db: RegistryTransaction = trx
    const { calls, allowed, missing } = await replayApplication({
      ...application,
      catalogue: published,
      from,
      to,
      nowMs: now(),
      stores: {
        calls: createCallRecords({ db }),
        overrides: createOverrides({ db, now }),
      },
    })
    return calls === 0 ? undefined : { calls, allowed, missing }
  }

  return {
    async run() {
      const today = dayOf(now())
      for (const version of catalogue().versions.values()) {
        const due = dueMilestone(version.lifecycle, today)
        if (due !== undefined) await remind(version, due, today)
      }
    },
  }
}

/** JSON has no undefined. */
function orNull<Members extends object>(members: Members) {
  const entries = Object.entries(members).map(([name, value]) => [name, value ?? null])
  // The types of entries are lost on the way.
  return Object.fromEntries(entries) as {
    [Name in keyof Members]: Exclude<Members[Name], undefined> | null
  }
}

/** A day on which developers are reminded, and of which end. */
export interface Milestone {
  /** Holds the date it counts from: another date is another milestone. */
  readonly name: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** The day it counts down to; undefined: it announces the deprecation itself. */
  readonly end: string | undefined
}

/**
 * The latest milestone reached (`YYYY-MM-DD`, UTC), unless the version has
 * ended. A developer who got no mail on a milestone's day gets one for the
 * latest milestone, never for an earlier one.
 */
export function dueMilestone(lifecycle: Lifecycle, today: string): Milestone | undefined {
  const { deprecated, sunset, retired } = lifecycle
  const ends = [sunset, retired].flatMap((end) => end ?? [])
  const milestones: Milestone[] = [
    ...(deprecated === undefined
      ? []
      : [{ name: `deprecated ${deprecated}`, day: deprecated, end: undefined }]),
    ...ends.flatMap((end) =>
      daysBefore.map((days) => ({
        name: `${days} days before ${end}`,
        day: dayOf(Date.parse(end), -days),
        end,
      })),
    ),
  ]
  const latest = milestones
    .filter(({ day }) => day <= today)
    .toSorted((a, b) => a.day.localeCompare(b.day))
    .at(-1)
  const isOver = (end: string | undefined): boolean => end !== undefined && end <= today
  return isOver(latest?.end) || isOver(retired) ? undefined : latest
}
