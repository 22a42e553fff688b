// This folder is the availability report: `outage-rule.ts` is the rule of the regulator, `slice.ts` what gateways
// write of a second, `consolidate.ts` turns that into outages, `availability.ts` reads them and the figures, and
// `availability-report.ts` makes days and quarters. What gateways remember and write is in `operate/availability/`.

import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'
import { readProgress } from './consolidate.ts'
import { createMaintenance, type Maintenance } from './maintenance.ts'
import type { Outage, OutageSecond } from './outage-rule.ts'
import type { Psd2Service } from './psd2-service.ts'
import { applyRuleToSlices, type Interface } from './read-slices.ts'

/** An outage of an API version. */
export type InterfaceOutage = Interface & Omit<Outage, 'seconds'>

/** Figures of one hour or minute. */
export interface InterfaceFigures extends Interface {
  readonly at: Date
  readonly service: Psd2Service
  readonly requests: number
  /** Errors for which the bank is responsible. */
  readonly errors: number
  readonly answers: number
  readonly firstByteMsSum: number
  readonly lastByteMsSum: number
}

/** Steps that begin in `[from, to)`. */
export interface TimeRange {
  readonly from: Date
  readonly to: Date
}

/** What gateways stored of the availability of API versions, a few seconds behind. Reads while no gateway runs. */
export interface Availability {
  readonly maintenance: Maintenance
  /** Outages that overlap the range, by their start. */
  outages(range: TimeRange): Promise<InterfaceOutage[]>
  /** The seconds of an outage that have unanswered calls. */
  seconds(outage: Interface & Pick<Outage, 'from'>): Promise<OutageSecond[]>
  figures(range: TimeRange): Promise<InterfaceFigures[]>
}

export interface AvailabilityOptions {
  readonly db: Kysely<RegistrySchema>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function createAvailability({ db, now }: AvailabilityOptions): Availability {
  /** Outages that are not consolidated, or not only. */
  async function recent(trx: RegistryTransaction): Promise<(Interface & Outage)[]> {
    const progress = await readProgress(trx)
    await applyRuleToSlices(trx, progress)
    return [...progress.values()].flatMap(({ api, version, state, ended }) =>
      [...ended, ...(state.open === undefined ? [] : [state.open])].map((outage) => ({
        api,
        version,
        ...outage,
      })),
    )
  }

  /** One state of the tables: a consolidation moves outages from one to the other. */
  function inOneState<Result>(read: (trx: RegistryTransaction) => Promise<Result>) {
    return db.transaction().setIsolationLevel('repeatable read').execute(read)
  }

  return {
    maintenance: createMaintenance({ db, now }),

    outages: ({ from, to }) =>
      inOneState(async (trx) => {
        const newer = await recent(trx)
        const stored = await trx
          .selectFrom('availability_outages')
          .selectAll()
          .where('until_at', '>', from)
          .where('from_at', '<', to)
          .execute()
        const older = stored.map((row) => ({
          api: row.api,
          version: row.version,
          from: row.from_at.getTime(),
          until: row.until_at?.getTime() ?? null,
          answeredCallAt: row.answered_call_at?.getTime() ?? null,
          series: row.series,
          last: row.last_call,
          calls: Number(row.calls),
          applications: row.applications,
        }))
        return [...older, ...newer.map(({ seconds: _, ...outage }) => outage)]
          .filter(
            (outage) => outage.from < to.getTime() && (outage.until ?? Infinity) > from.getTime(),
          )
          .sort((a, b) => a.from - b.from || compare(a.api, b.api) || compare(a.version, b.version))
      }),

    seconds: ({ api, version, from }) =>
      inOneState(async (trx) => {
        const { rows } = await sql<OutageSecond>`
          select s.second, s.calls, s.first_id as "firstId"
          from availability_outage_seconds s
          join availability_outages o on o.id = s.outage_id
          where api = ${api} and version = ${version} and from_at = ${new Date(from)}
          order by second`.execute(trx)
        const newer = (await recent(trx)).find(
          (outage) => outage.api === api && outage.version === version && outage.from === from,
        )
        return [...rows, ...(newer?.seconds ?? [])]
      }),

    async figures({ from, to }) {
      const { rows } = await sql<InterfaceFigures>`
        select at, api, version, service, requests, errors, answers,
          first_byte_ms_sum as "firstByteMsSum", last_byte_ms_sum as "lastByteMsSum"
        from availability_hours where at >= ${from} and at < ${to}
        order by at, api, version, service`.execute(db)
      return rows
    },
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
