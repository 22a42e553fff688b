import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import type { Stores } from '../../src/portal/stores/stores.ts'
import { recordAudit } from '../../src/registry/audit/audit.ts'
import { createAuditChain } from '../../src/registry/audit/audit-chain.ts'
import { withAuditContext } from '../../src/registry/audit/audit-context.ts'
import { canonicalJson } from '../../src/registry/audit/canonical-json.ts'
import type { AuditFault } from '../../src/registry/audit/chain-check.ts'
import { tryLockChain } from '../../src/registry/audit/chain-rows.ts'
import { AuditBroken } from '../../src/registry/audit/sealer.ts'
import { verifyAudit } from '../../src/registry/audit/verify-audit.ts'
import { livePeppers, parsePeppers } from '../../src/registry/keys/key-mac.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { tollgate } from '../support/cli.ts'
import { eachDatabase, testDatabase, testDataDir } from '../support/database.ts'
import { draw } from '../support/draw.ts'
import { testStores } from '../support/registry.ts'
import { until } from '../support/until.ts'

const pepper = 'a-pepper-for-tests-and-nothing-else'

t.test('canonical JSON is that of RFC 8785', async (t) => {
  t.equal(
    canonicalJson({ b: [1, 'x"'], a: { d: null, c: true }, ä: 'é' }),
    '{"a":{"c":true,"d":null},"b":[1,"x\\""],"ä":"é"}',
  )
})

for (const { name, open, skip } of eachDatabase) {
  t.test(`the chain over the audit, ${name}`, { skip }, async (t) => {
    const { database, url } = await open(t)
    const stores = await testStores(database)
    const db = database.connect<RegistrySchema>()
    const { auditChain } = stores

    t.test('every change gets its link, in the order in which the chain saw it', async (t) => {
      await leaveEntries(db, 40)
      const sealed: number[] = []
      await auditChain.seal((entries) => sealed.push(...entries.map(({ position }) => position)))
      t.same(
        sealed,
        Array.from({ length: sealed.length }, (_, index) => index + 1),
      )
      t.ok(sealed.length >= 40)
      t.match(await auditChain.verify(), { faults: [], waiting: 0, signedTo: sealed.length })
    })

    t.test('several portals write and seal at once: no link twice, none missing', async (t) => {
      const others = await Promise.all([testStores(database), testStores(database)])
      const before = (await auditChain.verify()).links
      let isWriting = true
      const sealers = [stores, ...others].map(async (portal) => {
        while (isWriting) await portal.auditChain.seal()
      })
      await Promise.all(Array.from({ length: 6 }, () => leaveEntries(db, 30)))
      isWriting = false
      await Promise.all(sealers)
      await auditChain.seal()
      const report = await auditChain.verify()
      t.match(report, { faults: [], waiting: 0 })
      t.equal(report.links, before + 180)
    })

    t.test('a change that is rolled back leaves neither entry nor link', async (t) => {
      const before = await auditChain.verify()
      await t.rejects(
        db.transaction().execute(async (trx) => {
          await recordAudit(trx, { actor: 'test', action: 'x.y', subject: 'x:1' })
          throw new Error('no')
        }),
      )
      await auditChain.seal()
      t.same(await auditChain.verify(), before)
    })

    t.test('an entry whose transaction is slow gets a later place, and is not lost', async (t) => {
      if (name !== 'PostgreSQL') return
      const committed = Promise.withResolvers<void>()
      const left = Promise.withResolvers<void>()
      const slow = db.transaction().execute(async (trx) => {
        await recordAudit(trx, { actor: 'test', action: 'slow.change', subject: 'x:1' })
        left.resolve()
        await committed.promise
      })
      await left.promise
      await leaveEntries(db, 3)
      await auditChain.seal()
      committed.resolve()
      await slow
      let last = ''
      await auditChain.seal((entries) => {
        last = entries.at(-1)?.entry.action ?? ''
      })
      t.equal(last, 'slow.change')
      t.same((await auditChain.verify()).faults, [])
    })

    /** Whether another connection has given up its transaction since then. */
    async function hasRolledBack(since: Promise<Date>): Promise<boolean> {
      const { rows } = await sql`
        select from pg_stat_activity where query = 'rollback' and query_start > ${await since}`.execute(
        db,
      )
      return rows.length > 0
    }

    t.test('each way to change, remove or move rows is found and named', async (t) => {
      for (const [what, change, expected] of tamperings) {
        const { entries, place } = await somewhere(db)
        await undone(db, async (trx) => {
          await change(trx, place)
          const { faults } = await verifyWithin(trx, stores)
          t.ok(
            faults.some((fault) => isFault(fault, expected(place))),
            `${what} at ${place.position} of ${entries}: ${JSON.stringify(faults.slice(0, 3))}`,
          )
        })
      }
      t.same((await auditChain.verify()).faults, [], 'all was undone')
    })

    t.test(
      'who owns the database and computes all hashes anew still has no signature',
      async (t) => {
        await undone(db, async (trx) => {
          const signatures = trx.updateTable('audit_links')
          await signatures.set({ signature: null, signer: null }).execute()
          const { faults, signedTo } = await verifyWithin(trx, stores)
          t.match(faults, [{ kind: 'unsigned-end' }])
          t.equal(signedTo, 0)
        })
      },
    )

    t.test(
      'a chain cut off at its end is found by a process that saw the end, and by the log',
      async (t) => {
        const end = (await auditChain.verify()).end
        await leaveEntries(db, 2)
        let seen = { position: 0, hash: '' }
        await auditChain.seal((entries) => {
          seen = entries.at(-1) ?? seen
        })
        await db
          .deleteFrom('audit')
          .where(
            'id',
            'in',
            db.selectFrom('audit_links').select('entry_id').where('position', '>', end.position),
          )
          .execute()
        await db.deleteFrom('audit_links').where('position', '>', end.position).execute()
        t.same(
          (await auditChain.verify()).faults,
          [],
          'from the database alone it looks like yesterday',
        )
        const expected = { position: seen.position, hash: Buffer.from(seen.hash, 'hex') }
        const { position } = expected
        t.match((await auditChain.verify({ expected })).faults, [{ kind: 'not-as-expected' }])
        t.match((await auditChain.verify({ expected: { position } })).faults, [
          { kind: 'not-as-expected', position },
        ])
        t.same((await auditChain.verify({ expected: { position: end.position } })).faults, [])
        await leaveEntries(db, 1)
        await t.rejects(auditChain.seal(), AuditBroken)
        await auditChain.resume({ by: 'operator:test', reason: 'backup restored' })
        t.match(await auditChain.verify(), { faults: [], waiting: 0 })
        const [entry] = await stores.audit.list({ limit: 1 })
        t.match(entry, { action: 'audit.resume', detail: { reason: 'backup restored' } })
      },
    )

    t.test('addresses and browsers can be erased; the chain stays valid', async (t) => {
      const personal = { address: '203.0.113.0/24', agent: 'Browser' }
      await withAuditContext({ requestId: 'c5f1', personal }, () => leaveEntries(db, 1))
      await auditChain.seal()
      t.match(await stores.audit.list({ limit: 1 }), [{ ...personal, requestId: 'c5f1' }])
      await undone(db, async (trx) => {
        await sql`update audit_personal set facts = facts || '{"address":"192.0.2.0/24"}'`.execute(
          trx,
        )
        t.match((await verifyWithin(trx, stores)).faults, [{ kind: 'personal-changed' }])
      })
      await stores.audit.erasePersonal(90)
      t.match(await stores.audit.list({ limit: 1 }), [personal], 'too young')
      await sql`update audit_personal set at = at - interval '91 days'`.execute(db)
      await stores.audit.erasePersonal(90)
      t.match(await stores.audit.list({ limit: 1 }), [{ address: null, agent: null }])
      t.same((await auditChain.verify()).faults, [])
    })

    t.test('retention takes the oldest part and leaves an unforgeable checkpoint', async (t) => {
      const before = await auditChain.verify()
      const border = new Date()
      await leaveEntries(db, 5)
      await auditChain.seal()
      // Another process extends the chain meanwhile.
      const taken = Promise.withResolvers<Date>()
      const other = db.transaction().execute(async (trx) => {
        await tryLockChain(trx)
        const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(trx)
        taken.resolve(rows[0]?.at ?? border)
        // The embedded database runs one transaction at a time.
        if (name === 'PostgreSQL')
          await until('it is in the way', () => hasRolledBack(taken.promise))
      })
      await taken.promise
      const checkpoint = await auditChain.prune({ before: border, by: 'operator:test' })
      await other
      t.match(checkpoint, { position: before.end.position, hash: before.end.hash })
      await auditChain.seal()
      const after = await auditChain.verify({ expected: before.end })
      t.match(after, { faults: [], removedTo: before.end.position, links: 6 })
      t.match(await stores.audit.list({ limit: 1 }), [
        { action: 'audit.prune', actor: 'operator:test' },
      ])
      t.equal(await auditChain.prune({ before: border, by: 'operator:test' }), undefined)

      await undone(db, async (trx) => {
        const { position, hash, signature, signer } = await lastSigned(trx)
        await sql`delete from audit_checkpoints`.execute(trx)
        await sql`insert into audit_checkpoints (position, hash, entries, newest_at, signature, signer)
          values (${position}, ${hash}, 3, now(), ${signature}, ${signer})`.execute(trx)
        await sql`delete from audit where id in (select entry_id from audit_links where position <= ${position})`.execute(
          trx,
        )
        await sql`delete from audit_links where position <= ${position}`.execute(trx)
        t.match(
          (await verifyWithin(trx, stores)).faults[0],
          { kind: 'checkpoint-invalid' },
          'the signature of a link is not valid for a checkpoint',
        )
      })
      await undone(db, async (trx) => {
        await sql`delete from audit_links`.execute(trx)
        await sql`delete from audit`.execute(trx)
        t.match(
          (await verifyWithin(trx, stores)).faults,
          [{ kind: 'missing-link', position: before.end.position + 1 }],
          'everything after the checkpoint was removed',
        )
      })
      await undone(db, async (trx) => {
        await sql`delete from audit_checkpoints`.execute(trx)
        t.not((await verifyWithin(trx, stores)).faults.length, 0)
      })
      await undone(db, async (trx) => {
        await sql`update audit set subject = 'x:2' where id = (select max(id) from audit)`.execute(
          trx,
        )
        t.equal((await verifyWithin(trx, stores)).faults.length, 1)
      })
    })

    t.test('an export is verified without the database', async (t) => {
      const env = { DATABASE_URL: url, KEY_PEPPER: pepper }
      const folder = await testDataDir(t)
      const [file, keyFile] = [join(folder, 'audit.jsonl'), join(folder, 'key.pem')]
      const exported = await tollgate(env, 'audit', 'export')
      t.equal(exported.code, 0, exported.stderr)
      writeFileSync(keyFile, (await tollgate(env, 'audit', 'key')).stdout)
      const verify = async (text: string) => {
        writeFileSync(file, text)
        const { code, stdout } = await tollgate(
          {},
          'audit',
          'verify',
          '--file',
          file,
          '--key',
          keyFile,
          '--json',
        )
        return { code, ...JSON.parse(stdout) }
      }
      t.match(await verify(exported.stdout), { code: 0, faults: [] })
      const lines = exported.stdout.split('\n')
      const changed = exported.stdout.replace('"x:1"', '"x:2"')
      t.match(await verify(changed), { code: 1, faults: [{ kind: 'changed' }] })
      t.match(await verify(lines.toSpliced(2, 1).join('\n')), { code: 1 }, 'a line is missing')
      t.match(
        await verify([...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)].join('\n')),
        { code: 1 },
        'two lines changed places',
      )
      const part = await tollgate(
        env,
        'audit',
        'export',
        '--after',
        JSON.parse(lines[2] ?? '').position,
      )
      t.match(await verify(part.stdout), { code: 0, faults: [] })
      const beyond = await tollgate(env, 'audit', 'export', '--after', '9999999')
      t.match(beyond, { code: 1, stderr: /no link 9999999/ })
    })

    t.test('the command verifies, and its exit code says whether there are faults', async (t) => {
      const env = { DATABASE_URL: url, KEY_PEPPER: pepper }
      const good = await tollgate(env, 'audit', 'verify')
      t.match(good, { code: 0, stdout: /complete and unchanged/ }, good.stderr)
      const { position, hash } = JSON.parse(
        (await tollgate(env, 'audit', 'verify', '--json')).stdout,
      )
      const expect = (link: string) => tollgate(env, 'audit', 'verify', '--expect', link)
      t.equal((await expect(`${position}:${hash}`)).code, 0)
      t.equal((await expect(String(position))).code, 0)
      t.match(await expect(String(position + 1)), {
        code: 1,
        stdout: /does not have the expected link/,
      })
      t.match(await expect('1204:xyz'), {
        code: 2,
        stderr: /It must be a position, better with its hash/,
      })
      const other = await tollgate(
        { ...env, KEY_PEPPER: 'another-pepper-that-signed-nothing-at-all' },
        'audit',
        'verify',
        '--json',
      )
      t.equal(other.code, 1)
      t.match(
        JSON.parse(other.stdout).faults.map((fault: AuditFault) => fault.kind),
        ['checkpoint-invalid', 'unknown-signer'],
      )
      await sql`update audit set actor = 'developer:nobody' where id = (select max(id) from audit)`.execute(
        db,
      )
      const bad = await tollgate(env, 'audit', 'verify')
      t.match(bad, { code: 1, stdout: /the entry, its position or the link before it was changed/ })
      t.match(await tollgate(env, 'audit', 'prune', '--keep', '1'), {
        code: 1,
        stderr: /nothing was removed/,
      })
    })

    t.test('no process continues a chain whose end has no valid signature', async (t) => {
      await leaveEntries(db, 1)
      const forgeries = [
        { signature: null, signer: null },
        { signature: Buffer.alloc(64), signer: [...auditChain.keys.keys()][0] ?? '' },
        { signature: Buffer.alloc(64), signer: 'unknown' },
      ]
      for (const forgery of forgeries) {
        await db
          .updateTable('audit_links')
          .set(forgery)
          .where('position', '=', (eb) =>
            eb.selectFrom('audit_links').select((of) => of.fn.max('position').as('end')),
          )
          .execute()
        const { auditChain: started } = await testStores(database)
        await t.rejects(started.seal(), AuditBroken)
      }
      t.ok((await auditChain.verify()).waiting > 0, 'entries wait')
    })
  })
}

t.test('when the pepper is replaced, the new key vouches for the chain at once', async (t) => {
  const { database } = await testDatabase(t)
  const db = database.connect<RegistrySchema>()
  const [older, newer] = ['o'.repeat(32), 'n'.repeat(32)]
  const started = (setting: string) => createAuditChain({ db, peppers: parsePeppers(setting) })
  await leaveEntries(db, 3)
  const old = started(older)
  await old.seal()
  await t.rejects(started(`2:${newer}`).seal(), AuditBroken, 'the old pepper went too early')

  const both = started(`2:${newer},1:${older}`)
  await both.seal()
  t.match(await both.verify(), { links: 4, signedTo: 4, faults: [] })
  const { subject, detail } = await db
    .selectFrom('audit')
    .select(['subject', 'detail'])
    .where('action', '=', 'audit.change-key')
    .executeTakeFirstOrThrow()
  t.match({ subject, detail }, { subject: 'audit:3', detail: { from: [...old.keys.keys()][0] } })
  t.match(await started(`2:${newer}`).verify(), { signedTo: 4, faults: [] })
  await leaveEntries(db, 1)
  await old.seal()
  t.match(await both.verify(), { links: 5, faults: [] }, 'a process of before goes on meanwhile')

  const setting = createWatchedCopy(`1:${older},2:${newer}`)
  const running = createAuditChain({ db, peppers: livePeppers(setting) })
  await running.seal()
  setting.take(`2:${newer},1:${older}`)
  await running.seal()
  t.match(
    await started(`2:${newer}`).verify(),
    { links: 6, signedTo: 6, faults: [] },
    'a running process vouches without a restart, though nothing else happened',
  )

  const behind = started(`1:${older},2:${newer}`)
  for (const process of [behind, running, behind]) {
    await leaveEntries(db, 1)
    await process.seal()
  }
  t.match(await started(`2:${newer}`).verify(), { links: 9, signedTo: 9, faults: [] })
  const vouched = db.selectFrom('audit').select('id').where('action', '=', 'audit.change-key')
  t.equal((await vouched.execute()).length, 2, 'a process that is behind never vouches back')
})

interface Place {
  readonly position: number
  readonly entryId: number
}

type Tampering = readonly [
  what: string,
  change: (trx: Kysely<RegistrySchema>, place: Place) => Promise<unknown>,
  expected: (place: Place) => Partial<AuditFault>,
]

const tamperings: readonly Tampering[] = [
  ...(['actor', 'action', 'subject', 'request_id'] as const).map(
    (column): Tampering => [
      `another ${column}`,
      (trx, { entryId }) =>
        sql`update audit set ${sql.ref(column)} = 'forged' where id = ${entryId}`.execute(trx),
      ({ position }) => ({ kind: 'changed', position }),
    ],
  ),
  [
    'another detail',
    (trx, { entryId }) =>
      sql`update audit set detail = detail || '{"n":1}' where id = ${entryId}`.execute(trx),
    ({ position }) => ({ kind: 'changed', position }),
  ],
  [
    'a time that differs by a microsecond',
    (trx, { entryId }) =>
      sql`update audit set at = at + interval '1 microsecond' where id = ${entryId}`.execute(trx),
    ({ position }) => ({ kind: 'changed', position }),
  ],
  [
    'a removed entry',
    (trx, { entryId }) => sql`delete from audit where id = ${entryId}`.execute(trx),
    ({ position }) => ({ kind: 'missing-entry', position }),
  ],
  [
    'a removed link',
    (trx, { position }) => sql`delete from audit_links where position = ${position}`.execute(trx),
    ({ entryId }) => ({ kind: 'unlinked', entryId }),
  ],
  [
    'a removed entry with its link',
    async (trx, { entryId, position }) => {
      await sql`delete from audit where id = ${entryId}`.execute(trx)
      await sql`delete from audit_links where position = ${position}`.execute(trx)
    },
    ({ position }) => ({ kind: 'missing-link', position }),
  ],
  [
    // One fault, so that one row cannot fill the memory of who verifies.
    'a link at a far position',
    (trx) =>
      sql`insert into audit_links (position, entry_id, hash)
        values (9007199254740000, 4999999999, sha256('x'))`.execute(trx),
    () => ({ kind: 'missing-link', toPosition: 9_007_199_254_739_999 }),
  ],
  [
    // Ids are walked entry by entry, so a wide gap takes no time.
    'an entry with a far id',
    (trx) =>
      sql`insert into audit (id, actor, action, subject) overriding system value
        values (9007199254740000, 'x', 'x.y', 'x:1')`.execute(trx),
    () => ({ kind: 'unlinked', entryId: 9_007_199_254_740_000 }),
  ],
  [
    'a removed entry, and all later links moved up',
    async (trx, { entryId, position }) => {
      await sql`delete from audit where id = ${entryId}`.execute(trx)
      await sql`delete from audit_links where position = ${position}`.execute(trx)
      await sql`update audit_links set position = -position + 1000000 where position > ${position}`.execute(
        trx,
      )
      await sql`update audit_links set position = 1000000 - position - 1 where position > 500000`.execute(
        trx,
      )
    },
    ({ position }) => ({ kind: 'changed', position }),
  ],
  [
    'two entries that changed places',
    (trx, { position }) => swap(trx, position, sql`entry_id`),
    ({ position }) => ({ kind: 'changed', position }),
  ],
  [
    'an entry with the hash of the next',
    (trx, { position }) => swap(trx, position, sql`hash`),
    ({ position }) => ({ kind: 'changed', position }),
  ],
  [
    'an entry added from outside',
    (trx) =>
      sql`insert into audit (actor, action, subject) values ('x', 'x.y', 'x:1')`.execute(trx),
    () => ({ kind: 'unlinked' }),
  ],
  [
    'a waiting entry that was removed',
    (trx) => sql`insert into audit_waiting values (999999999)`.execute(trx),
    () => ({ kind: 'lost-while-waiting', entryId: 999_999_999 }),
  ],
  [
    'another signature',
    (trx) =>
      sql`update audit_links set signature = decode(repeat('ab', 64), 'hex') where signature is not null`.execute(
        trx,
      ),
    () => ({ kind: 'signature-invalid' }),
  ],
]

/** Exchanges a column of a link with that of the next one. Unique columns need a value in between. */
async function swap(trx: Kysely<RegistrySchema>, position: number, column: ReturnType<typeof sql>) {
  const name = column
  await sql`create temporary table swapped on commit drop as
    select position, ${name} as value from audit_links where position in (${position}, ${position + 1})`.execute(
    trx,
  )
  await sql`delete from audit_links where position > 100000000`.execute(trx)
  await sql`alter table audit_links drop constraint audit_links_entry`.execute(trx)
  await sql`update audit_links l set ${name} = s.value from swapped s
    where s.position = ${2 * position + 1} - l.position`.execute(trx)
}

function isFault(fault: AuditFault, expected: Partial<AuditFault>): boolean {
  return Object.entries(expected).every(
    ([name, value]) => fault[name as keyof AuditFault] === value,
  )
}

/** A place in the chain that has a next one. */
async function somewhere(db: Kysely<RegistrySchema>): Promise<{ entries: number; place: Place }> {
  const links = await db
    .selectFrom('audit_links')
    .select(['position', 'entry_id as entryId'])
    .orderBy('position')
    .execute()
  const place = links[draw(links.length - 1)]
  if (place === undefined) throw new Error('an empty chain')
  return { entries: links.length, place }
}

/** Runs `work` and takes back what it changed. */
async function undone(
  db: Kysely<RegistrySchema>,
  work: (trx: Kysely<RegistrySchema>) => Promise<void>,
) {
  const done = new Error('take it back')
  await db
    .transaction()
    .execute(async (trx) => {
      await work(trx)
      throw done
    })
    .catch((error: unknown) => {
      if (error !== done) throw error
    })
}

/** What a verification says inside a transaction that is taken back. */
function verifyWithin(trx: Kysely<RegistrySchema>, { auditChain }: Stores) {
  return verifyAudit({ db: trx, keys: auditChain.keys })
}

/** The second newest link with a signature, so that at least one stays after it. */
function lastSigned(trx: Kysely<RegistrySchema>) {
  return trx
    .selectFrom('audit_links')
    .select(['position', 'hash', 'signature', 'signer'])
    .where('signature', 'is not', null)
    .orderBy('position', 'desc')
    .offset(1)
    .limit(1)
    .executeTakeFirstOrThrow()
}

/** Entries in a transaction each, as changes leave them. */
async function leaveEntries(db: Kysely<RegistrySchema>, count: number): Promise<void> {
  for (let left = 0; left < count; left += 1) {
    await db.transaction().execute((trx) =>
      recordAudit(trx, {
        actor: 'developer:1',
        action: 'key.issue',
        subject: 'x:1',
        detail: { n: String(left), applicationId: 'a' },
      }),
    )
  }
}
