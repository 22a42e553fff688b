import { randomUUID } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import t from 'tap'
import { ownTables } from '../../src/portal/stores/accounts/own-tables.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { besidePortal, type SignedIn } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const { db, stores } = beside
const tables = Object.entries(ownTables)

const replays = 'a number by which the portal recognises replays'
const planned = 'what limits would have done that the operator only tries out'

/**
 * Columns that an export leaves out, each with the reason. It leaves out columns
 * of bytes, too: hashes, MACs, public keys and encrypted secrets.
 */
const columnsLeftOut: Readonly<Record<string, string>> = {
  developer_id: 'the id in `account`',
  session_id: 'the session of the portal with which the key ended',
  password_hash: 'a secret',
  pepper_version: 'the number of a secret',
  credential_id: 'a handle of the authenticator, of use only to the portal',
  last_step: replays,
  counter: replays,
  bucket: 'the name of the counter',
  window_number: 'the number of the window that ends at resets_at',
  mail_waits: 'whether an email is under way',
  created_by: 'names an operator, another person',
  durations: 'the shape of the durations whose sum is exported',
  rehearsed: planned,
  rehearsed_refused: planned,
  'call_records.id': 'the place in the table',
}

/** Tables with a developer or an application that an export leaves out as a whole, each with the reason. */
const tablesLeftOut: Readonly<Partial<Record<keyof PortalSchema, string>>> = {
  recovery_codes: 'hashes of secrets; the export says how many are left',
  factor_challenges: 'a sign-in under way: secrets that live for minutes',
  deleted_applications:
    'only the id of a deleted application, until the bank has confirmed the end',
  changes: 'notices to running processes; the audit has the same facts',
  usage_minutes: 'the same calls as the hours, for 48 hours only',
}

t.test(
  'every table with a developer or an application is exported or left out with a reason',
  async (t) => {
    const { rows } = await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column
    from information_schema.columns c join information_schema.tables using (table_schema, table_name)
    where c.table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(db)
    const columns = Map.groupBy(rows, ({ table }) => table)
    const personal = [...columns]
      .filter(([, of]) => of.some(({ column }) => /^(developer|application)_id$/.test(column)))
      .map(([table]) => table)
    t.ok(personal.length > 15, personal.join(' '))
    const known = new Set<string>([
      ...tables.map(([, { table }]) => table),
      ...Object.keys(tablesLeftOut),
    ])
    t.same(
      personal.filter((table) => !known.has(table)),
      [],
      'add a new table to ownTables, or to tablesLeftOut with the reason',
    )
    const { rows: unique } = await sql<{ table: string; columns: string[] }>`
    select relname as table, (select array_agg(attname::text) from pg_attribute
      where attrelid = indrelid and attnum = any(indkey)) as columns
    from pg_index join pg_class on pg_class.oid = indrelid
    where indisunique and indpred is null and indexprs is null`.execute(db)
    for (const [name, { table, owner, orderBy }] of tables) {
      const place = new Set([owner, ...orderBy.split(' ')])
      t.ok(
        unique.some((index) => index.table === table && index.columns.every((it) => place.has(it))),
        `a page of ${name} begins after one row`,
      )
    }
  },
)

t.test(
  'every column is exported or left out with a reason, and none with a secret is exported',
  async (t) => {
    const { rows } = await sql<{ column: string; isBytes: boolean }>`
    select table_name || '.' || column_name as column, data_type = 'bytea' as "isBytes"
    from information_schema.columns where table_schema = current_schema()`.execute(db)
    const all = new Set(rows.map(({ column }) => column))
    const exported = new Set(
      tables.flatMap(([, { table, columns }]) =>
        columns.split(' ').map((column) => `${table}.${column}`),
      ),
    )
    const read = new Set<string>(tables.map(([, { table }]) => table))
    const reasonOf = (column: string) =>
      [column, column.replace(/.*\./, '')].find((each) => Object.hasOwn(columnsLeftOut, each))
    t.same(
      [...exported].filter((column) => !all.has(column)),
      [],
    )
    t.same(
      rows
        .filter(({ column, isBytes }) => !isBytes && read.has(column.replace(/\..*/, '')))
        .map(({ column }) => column)
        .filter((column) => exported.has(column) === (reasonOf(column) !== undefined)),
      [],
      'add a new column to ownTables, or to columnsLeftOut with the reason',
    )
    t.same(
      Object.keys(columnsLeftOut).filter(
        (column) => !rows.some((row) => reasonOf(row.column) === column),
      ),
      [],
    )
    t.same(
      rows.filter(
        ({ column, isBytes }) =>
          exported.has(column) &&
          (isBytes ||
            /\.\w*(?:hash|secret|sealed|token|passw|pepper|mac$|_key$|salt)/.test(column)),
      ),
      [],
      'no secret',
    )
  },
)

t.test(
  'a developer downloads everything that the portal knows about them, without secrets',
  async (t) => {
    const ada = await beside.signIn({ name: 'Ada Lovelace' })
    const other = await beside.signIn({ name: 'Other Person' })
    const { id } = ada.developer
    const secrets: string[] = [ada.cookie.value]
    for (const { send } of [ada, other]) {
      const app = (await send('POST', '/api/applications', { name: 'Budget' })).body.id
      const path = `/api/applications/${app}`
      await send('POST', `${path}/subscriptions`, {
        api: 'xs2a',
        version: '1.7.0',
        plan: 'default',
      })
      const { key } = (await send('POST', `${path}/keys`, { name: 'first' })).body
      secrets.push(key)
      const requestId = randomUUID()
      const answer = await fetch(`${tollgate.urls.gateway}/v1.7.0/accounts`, {
        headers: { 'x-api-key': key, 'x-request-id': requestId },
      })
      await answer.text()
    }
    await stores.terms.accept({ developerId: id, version: '2026-11' })
    await until('the calls are written', async () => {
      const { rows } = await sql`select from call_records join usage_hours using (application_id)
      join usage_days using (application_id)`.execute(db)
      return rows.length >= 2
    })

    const file = await ada.send('GET', '/api/session/developer/export')
    t.equal(file.status, 200)
    t.match(file.headers, {
      'content-type': /^application\/json/,
      'content-disposition': /^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/,
      'cache-control': 'no-store',
    })
    const own = file.body
    t.match(own, {
      format: 'tollgate-developer-data',
      version: 1,
      portal: tollgate.urls.portal,
      account: [{ id, email: ada.developer.email, name: 'Ada Lovelace', mailsLimits: true }],
      acceptedTerms: [{ version: '2026-11', acceptedAt: /Z$/ }],
      sessions: [{ agent: /.*/ }],
      applications: [{ name: 'Budget' }],
      subscriptions: [{ api: 'xs2a', version: '1.7.0', plan: 'default' }],
      keys: [{ name: 'first', lastFour: /^.{4}$/ }],
      usageDays: [{ operation: 'listAccounts', at: /T00:00:00.000Z$/ }],
      callRecords: [{ operation: 'listAccounts', method: 'GET' }],
      recoveryCodes: [{ left: 0 }],
      passkeys: [],
    })
    for (const [name] of tables) t.ok(Array.isArray(own[name]), name)
    for (const part of ['applications', 'keys', 'callRecords', 'usageDays']) {
      t.equal(own[part].length, 1, `${part} of this developer only`)
    }
    const actions = own.audit.map((entry: { action: string }) => entry.action)
    t.same(
      ['application.create', 'key.issue', 'developer.accept-terms', 'developer.export-data'].filter(
        (action) => !actions.includes(action),
      ),
      [],
      actions.join(' '),
    )
    t.notMatch(file.text, other.developer.id)
    t.notMatch(file.text, 'Other Person')
    for (const secret of secrets) t.notOk(file.text.includes(secret), 'no secret')
    t.notMatch(file.text, /password(_h|H)ash|"mac"|sealed|idHash/)

    await t.test('names no operator and says nothing of where they were', async (t) => {
      await stores.applications.suspend({ id: own.applications[0].id, by: 'staff:somebody' })
      const { audit } = (await ada.send('GET', '/api/session/developer/export')).body
      const entry = audit.find(({ action }: { action: string }) => action === 'application.suspend')
      t.match(entry, { actor: 'operator', address: null, agent: null })
    })

    await t.test('but only after a proof of who they are', async (t) => {
      await sql`update sessions set proved_at = now() - interval '11 minutes' where developer_id = ${id}`.execute(
        db,
      )
      const late = await ada.send('GET', '/api/session/developer/export')
      t.match(late, { status: 403, body: { code: 'STEP_UP_REQUIRED' } })
      t.equal((await beside.anonymous('GET', '/api/session/developer/export')).status, 401)
    })
  },
)

t.test('exports of one developer leave the portal to the others', async (t) => {
  const rows = { many: 20_000, few: 2_500 }
  const [ada, bob, cy] = [await owner(rows.many), await owner(rows.many), await owner(rows.few)]
  const path = '/api/session/developer/export'
  const files = [await stalled(ada), await stalled(bob)]
  t.same(
    files.map(({ statusCode }) => statusCode),
    [200, 200],
  )

  const second = await ada.send('GET', path)
  t.match(second, { status: 429, body: { code: 'ATTEMPTS_EXCEEDED', detail: /still under way/ } })
  t.match(second.headers, { 'retry-after': /^\d+$/ })
  const third = await cy.send('GET', path)
  t.match(third, { status: 429, body: { detail: /Other people/ } }, 'two at once in a process')
  t.match(third.headers, { 'retry-after': /^\d+$/ })
  t.equal((await cy.send('GET', '/api/applications')).status, 200)

  files[0]?.destroy()
  let own = third
  await until('a broken download gives its place back', async () => {
    own = await cy.send('GET', path)
    return own.status === 200
  })
  const hours: { at: string }[] = own.body.usageHours
  t.equal(hours.length, rows.few)
  t.equal(new Set(hours.map(({ at }) => at)).size, rows.few, 'each row once, page after page')
  t.ok(hours.every(({ at }, index) => index === 0 || at > (hours[index - 1]?.at ?? '')))
  for (const file of files.slice(1))
    t.equal(JSON.parse(await text(file)).usageHours.length, rows.many)

  await t.test('and there are five a day', async (t) => {
    for (let again = 0; again < 4; again += 1) t.equal((await cy.send('GET', path)).status, 200)
    const late = await cy.send('GET', path)
    t.match(late, { status: 429, body: { detail: /5 times a day/ } })
    t.ok(Number(late.headers['retry-after']) > 80_000)
  })

  /** Many hours are more than a connection holds, few are three pages. */
  async function owner(hours: number): Promise<SignedIn> {
    const person = await beside.signIn()
    const { id } = (await person.send('POST', '/api/applications', { name: 'Large' })).body
    await sql`insert into usage_hours (application_id, at, api, version, operation, admitted, refused,
        refused_by_limit, errors, duration_ms_sum, duration_ms_max)
      select ${id}, timestamptz '2020-01-01Z' + n * interval '1 hour', 'xs2a', '1.7.0', 'listAccounts', 1, 0, 0, 0, 0, 0
      from generate_series(1, ${hours}::int) n`.execute(db)
    return person
  }

  /** An export whose client does not read. */
  async function stalled({ cookie }: SignedIn): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { cookie: `${cookie.name}=${cookie.value}` }
      get(`${tollgate.urls.portal}${path}`, { headers }, resolve).once('error', reject)
    })
  }
})
