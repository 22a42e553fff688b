import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { type OwnTable, ownTables, tablesLeftOut } from '../../src/gateway/registry/own-data.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const { db, stores } = beside
const tables: readonly (readonly [string, OwnTable])[] = Object.entries(ownTables)

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
    const known = new Set([...tables.map(([, { table }]) => table), ...Object.keys(tablesLeftOut)])
    t.same(
      personal.filter((table) => !known.has(table)),
      [],
      'add a new table to ownTables, or to tablesLeftOut with the reason',
    )
    for (const [name, { table, of, owner = `${of}_id`, columns: taken, withheld = {} }] of tables) {
      const decided = new Set([owner, ...taken, ...Object.keys(withheld)])
      const found = (columns.get(table) ?? []).map(({ column }) => column)
      t.same(
        found.filter((column) => !decided.has(column)),
        [],
        `every column of ${table} is in ${name} or withheld with a reason`,
      )
    }
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
