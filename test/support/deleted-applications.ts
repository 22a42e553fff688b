import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import type { Send } from './portal-client.ts'
import { bill, consentRequest, mandateRequest } from './requests.ts'

// What the bank and the gateway do when an application is deleted.

/**
 * An application of this developer with a consent in each open state, a payment and a mandate that wait.
 * @throws when the bank refuses one
 */
export async function busyApplication(send: Send, gatewayUrl: string): Promise<string> {
  const { id } = (await send('POST', '/api/applications', { name: `app ${randomUUID()}` })).body
  const path = `/api/applications/${id}`
  for (const [api, version] of [
    ['xs2a', '1.7.0'],
    ['mandate', '1.0.0'],
  ]) {
    await send('POST', `${path}/subscriptions`, { api, version, plan: 'default' })
  }
  const { key } = (await send('POST', `${path}/keys`, { name: 'k' })).body
  const ready = await send('POST', `${path}/sandbox/consents`)
  if (ready.status !== 201) throw new Error(ready.text)
  for (const [target, body] of [
    ['/v1.7.0/consents', consentRequest],
    ['/v1.7.0/payments/fp', { ...bill, endToEndIdentification: randomUUID().slice(0, 30) }],
    ['/v1.0.0/mandates', { ...mandateRequest, mandateId: randomUUID().slice(0, 30) }],
  ] as const) {
    const answer = await fetch(`${gatewayUrl}${target}`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'x-request-id': randomUUID(),
        'psu-id': '305567661',
        'psu-ip-address': '192.0.2.44',
        // Waits for pages that no customer opens.
        'tpp-redirect-uri': 'https://tpp.example/back',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(`${target}: ${await answer.text()}`)
    await answer.text()
  }
  return id
}

/** What the bank has of an application: statuses by kind. */
export async function atBank(db: Kysely<RegistrySchema>, applicationId: string) {
  const { rows } = await sql<{ what: string }>`
    select 'consent ' || status as what from bank.consents where application_id = ${applicationId}
    union all select 'payment ' || status from bank.payments where application_id = ${applicationId}
    union all select 'mandate ' || status from bank.mandates where application_id = ${applicationId}
    union all select 'approval ' || a.status from bank.authorisations a
      left join bank.consents c on c.id = a.consent_id
      left join bank.payments p on p.id = a.payment_id
      left join bank.mandates m on m.id = a.mandate_id
      where ${applicationId} in (c.application_id, p.application_id, m.application_id)
        and a.status <> 'finalised'
    order by what`.execute(db)
  return rows.map(({ what }) => what)
}

/** What {@link busyApplication} leaves at the bank, without the approvals that wait. */
export const open = ['consent received', 'consent valid', 'mandate received', 'payment RCVD']
/** The same once its application is deleted. */
export const ended = [
  'approval failed',
  'approval failed',
  'approval failed',
  'consent terminatedByTpp',
  'consent terminatedByTpp',
  'mandate terminatedByTpp',
  'payment CANC',
]
/** The ten minutes in which calls under way may still create something are over. */
export const timePasses = (db: Kysely<RegistrySchema>) =>
  sql`update deleted_applications
    set deleted_at = deleted_at - interval '10 minutes', due_at = now()`.execute(db)

/** Has the gateway look for what is due now, in place of some seconds later: it looks at each deletion. */
export async function wake(send: Send): Promise<void> {
  const { id } = (await send('POST', '/api/applications', { name: `app ${randomUUID()}` })).body
  await send('DELETE', `/api/applications/${id}`)
}

/** Whether the bank is not asked about an application again. */
export const isOver = async (db: Kysely<RegistrySchema>, id: string): Promise<boolean> =>
  (await waiting(db)).every(({ application_id }) => application_id !== id)

/** Deleted applications about which the bank is asked again. */
export const waiting = (db: Kysely<RegistrySchema>) =>
  db.selectFrom('deleted_applications').selectAll().execute()

/** Whether the bank has answered about each, and is asked again once calls under way are over. */
export async function allTold(db: Kysely<RegistrySchema>): Promise<boolean> {
  const rows = await waiting(db)
  return rows.every(
    ({ attempts, deleted_at, due_at }) =>
      attempts === 0 && due_at.getTime() === deleted_at.getTime() + 600_000,
  )
}
