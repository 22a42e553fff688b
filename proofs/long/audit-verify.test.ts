import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { AuditFault } from '../../src/registry/audit/chain-check.ts'
import { verifyAudit } from '../../src/registry/audit/verify-audit.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { postgresMissing, testPostgres } from '../../test/support/database.ts'
import { createRandom } from '../../test/support/random.ts'
import { testStores } from '../../test/support/registry.ts'
import { figure } from '../figure.ts'
import { proofSeed, proofSize } from '../size.ts'

const seed = proofSeed()
const random = createRandom(seed, 'audit')
const entries = proofSize({ share: 20_000, whole: 100_000 })

t.test(
  `of ${entries} entries, any that is changed, removed or moved is found and named (SEED=${seed})`,
  { skip: postgresMissing(), timeout: 600_000 },
  async (t) => {
    const opened = await testPostgres(t)
    const db = opened.database.connect<RegistrySchema>()
    const { auditChain } = await testStores(opened.database)
    // A statement may take five seconds.
    const atOnce = 5_000
    for (let from = 1; from <= entries; from += atOnce) {
      await sql`
        with entry as (
          insert into audit (actor, action, subject, detail)
          select 'developer:' || gen_random_uuid(), 'key.issue', 'key:' || n, jsonb_build_object('applicationId', gen_random_uuid(), 'n', n::text)
          from generate_series(${from}::int, ${from + atOnce - 1}::int) n returning id
        ) insert into audit_waiting select id from entry`.execute(db)
    }
    const began = performance.now()
    await auditChain.seal()
    const sealed = performance.now()
    const report = await auditChain.verify()
    const verified = performance.now()
    t.match(report, { links: entries, signedTo: entries, faults: [], waiting: 0 })
    figure(
      `sealed in ${Math.round(sealed - began)} ms, verified in ${Math.round(verified - sealed)} ms`,
    )

    // No fault hides another: each round has one at the beginning, one in the middle and one at the end.
    for (const [first, last] of [
      [1, entries - 1],
      [2, entries],
    ] as const) {
      for (const turn of tamperings.keys()) {
        const round = [first, random.between(10, entries - 10), last].flatMap((position, at) => {
          const tampering = tamperings[(turn + at) % tamperings.length]
          return tampering === undefined ? [] : [{ position, ...tampering }]
        })
        const faults = await faultsAfter(db, async (trx) => {
          for (const { position, tamper } of round) await tamper(trx, position)
        })
        const places = faults.map((fault) => fault.position)
        for (const { position, what } of round) {
          const isNamed =
            places.includes(position) || (what === 'moved' && places.includes(position - 1))
          t.ok(isNamed, `${what} at ${position}: ${JSON.stringify(faults.slice(0, 6))}`)
        }
      }
    }

    async function faultsAfter(
      all: Kysely<RegistrySchema>,
      tamper: (trx: Kysely<RegistrySchema>) => Promise<unknown>,
    ): Promise<readonly AuditFault[]> {
      let faults: readonly AuditFault[] = []
      const done = new Error('take it back')
      await all
        .transaction()
        .execute(async (trx) => {
          await tamper(trx)
          faults = (await verifyAudit({ db: trx, keys: auditChain.keys })).faults
          throw done
        })
        .catch((error: unknown) => {
          if (error !== done) throw error
        })
      return faults
    }
  },
)

type Tamper = (trx: Kysely<RegistrySchema>, position: number) => Promise<unknown>

const idAt = (position: number) =>
  sql`(select entry_id from audit_links where position = ${position})`

const tamperings: readonly { readonly what: string; readonly tamper: Tamper }[] = [
  {
    what: 'changed',
    tamper: (trx, position) =>
      sql`update audit set at = at + interval '1 microsecond' where id = ${idAt(position)}`.execute(
        trx,
      ),
  },
  {
    what: 'removed',
    tamper: (trx, position) => sql`delete from audit where id = ${idAt(position)}`.execute(trx),
  },
  {
    what: 'moved',
    tamper: async (trx, position) => {
      // With its neighbour; the last one with the one before it.
      const other = position === entries ? position - 1 : position + 1
      const [one, two] = await trx
        .selectFrom('audit_links')
        .select(['position', 'entry_id'])
        .where('position', 'in', [position, other])
        .execute()
      // Entries are unique, so one of them makes room first.
      for (const [link, entryId] of [
        [one, -1],
        [two, one?.entry_id ?? 0],
        [one, two?.entry_id ?? 0],
      ] as const) {
        const update = trx.updateTable('audit_links').set({ entry_id: entryId })
        await update.where('position', '=', link?.position ?? 0).execute()
      }
    },
  },
]
