import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Big } from 'big.js'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Database } from '../../src/platform/database/database.ts'
import { postgresMissing, testPostgres } from '../../test/support/database.ts'
import { configDir } from '../../test/support/published-catalogue.ts'
import { createDraw } from '../../test/support/random.ts'
import { spawnTollgate } from '../../test/support/tollgate.ts'
import { figure } from '../figure.ts'
import { proofSeed, proofSize } from '../size.ts'

t.setTimeout(600_000)

const wanted = proofSize({ share: 120, whole: 1000 })
const kills = proofSize({ share: 2, whole: 8 })
const callers = 12
const draw = createDraw(proofSeed())
const noa = '305567661'
const company = '310000088'
/** An account at another bank. */
const other = 'IL090123450000000123456'

interface Row {
  readonly id: string
  readonly accountId: string
  readonly sequence: number
  readonly amount: string
  readonly balanceAfter: string
  readonly paymentId: string | null
}

interface Books {
  readonly accounts: readonly { id: string; iban: string; currency: string; booked: string }[]
  readonly entries: readonly Row[]
}

/** What the bank has written, as it is in its tables. */
async function readBooks(database: Database): Promise<Books> {
  const db = database.connect()
  const accounts = await sql<Books['accounts'][number]>`
    select id, iban, currency, booked::text as booked from bank.accounts`.execute(db)
  const entries = await sql<Row>`
    select id, account_id as "accountId", sequence, amount::text as amount,
      balance_after::text as "balanceAfter", payment_id as "paymentId"
    from bank.transactions where status = 'booked' order by account_id, sequence`.execute(db)
  return { accounts: accounts.rows, entries: entries.rows }
}

function total(values: readonly string[]): string {
  return values.reduce((sum, value) => sum.plus(value), new Big(0)).toFixed(2)
}

/** Signs calls in the place of a gateway, and says with which key. */
async function standInGateway(t: Test) {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA')
  const jwks = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'EdDSA', use: 'sig' }],
  })
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(jwks)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const applicationId = randomUUID()
  return {
    jwksUrl: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    identityFor: () =>
      new SignJWT({ api: 'xs2a', version: '1.6.0' })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'test', typ: 'gateway-identity+jwt' })
        .setIssuer('tollgate')
        .setAudience('tollgate-backend')
        .setSubject(applicationId)
        .setIssuedAt()
        .setExpirationTime('60s')
        .sign(privateKey),
  }
}

t.test(
  'money is conserved over many payments while the bank is killed again and again',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await testPostgres(t)
    const gateway = await standInGateway(t)
    const start = () =>
      spawnTollgate(t, ['backend'], {
        CONFIG_DIR: configDir,
        DATABASE_URL: postgres.url,
        IDENTITY_JWKS_URL: gateway.jwksUrl,
        BANK_TIME_ZONE: 'Asia/Jerusalem',
      })
    let bank = await start()
    const before = await readBooks(postgres.database)
    const ibanOf = (psu: string) => (psu === noa ? 'IL030205710000000200285' : companyIban)
    const companyIban = await sql<{ iban: string }>`
      select iban from bank.accounts where psu_id = ${company}`
      .execute(postgres.database.connect())
      .then(({ rows }) => rows[0]?.iban ?? '')

    const made = new Set<string>()
    let isDone = false
    /** Calls until the bank answers: what was under way when it was killed is repeated with its id. */
    async function call(
      method: string,
      path: string,
      headers: Readonly<Record<string, string>>,
      body?: object,
    ) {
      const requestId = randomUUID()
      for (;;) {
        try {
          const response = await fetch(`${bank.urls.backend}/v1.6.0/payments/fp${path}`, {
            method,
            headers: {
              'x-request-id': requestId,
              'psu-ip-address': '192.0.2.44',
              'gateway-identity': await gateway.identityFor(),
              ...headers,
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
          const answer = { status: response.status, body: JSON.parse(await response.text()) }
          if (answer.status < 500) return answer
        } catch {
          // It was killed, or has not begun.
        }
        await delay(50)
      }
    }

    async function pay(number: number): Promise<void> {
      const from = number % 2 === 0 ? noa : company
      const to = number % 4 < 3 ? ibanOf(from === noa ? company : noa) : other
      const isEmbedded = number % 5 === 0
      const headers = {
        'psu-id': from,
        ...(isEmbedded ? {} : { 'tpp-decoupled-preferred': 'true' }),
      }
      const answer = await call('POST', '', headers, {
        instructedAmount: { currency: 'ILS', amount: `${1 + (number % 7)}.0${number % 10}` },
        debtorAccount: { iban: ibanOf(from) },
        creditorAccount: { iban: to },
        creditorName: 'Somebody',
        remittanceInformationUnstructured: `Number ${number}`,
      })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      const id: string = answer.body.paymentId
      made.add(id)
      if (!isEmbedded) return
      const [, , , , , , authorisation] = answer.body._links.scaStatus.href.split('/')
      for (const body of [
        { psuData: { password: '12345' } },
        { authenticationMethodId: 'sms-1' },
        // Some are never approved.
        ...(number % 15 === 0 ? [] : [{ scaAuthenticationData: '123456' }]),
      ]) {
        const path = `/${id}/authorisations/${authorisation}`
        await call('PUT', path, {}, body)
      }
    }

    let next = 0
    const paying = Array.from({ length: callers }, async () => {
      while (next < wanted) await pay(next++)
    })
    const all = Promise.all(paying).finally(() => {
      isDone = true
    })
    const reading = (async () => {
      while (!isDone) {
        const [id] = [...made].slice(-20)
        if (id !== undefined) await call('GET', `/${id}/status`, {})
        await delay(20)
      }
    })()
    let killed = 0
    async function kill(): Promise<void> {
      bank.signal('SIGKILL')
      await bank.ended
      killed += 1
      bank = await start()
    }
    for (let round = 1; round < kills && !isDone; round += 1) {
      const target = Math.min(wanted, (wanted / kills) * round)
      while (next < target && !isDone) await delay(5)
      await delay(draw(100))
      await kill()
    }
    await all
    await reading
    // While the clockwork settles the last of them.
    await delay(2500)
    await kill()
    const isSettled = async () => {
      const { rows } = await sql<{ open: number }>`
        select count(*)::int as open from bank.payments where due_at <= now()`.execute(
        postgres.database.connect(),
      )
      return rows[0]?.open === 0
    }
    await delay(4000)
    // Calls wait for what is due.
    const unread = [...made]
    const readers = Array.from({ length: callers }, async () => {
      for (let id = unread.pop(); id !== undefined; id = unread.pop()) {
        await call('GET', `/${id}/status`, {})
      }
    })
    await Promise.all(readers)
    for (let look = 0; look < 100 && !(await isSettled()); look += 1) await delay(100)

    const after = await readBooks(postgres.database)
    const { rows: payments } = await sql<{
      id: string
      status: string
      amount: string
      debtor: string | null
      creditor: string
    }>`
      select id, status, amount::text as amount, debtor_account_id as debtor,
        body->'creditorAccount'->>'iban' as creditor from bank.payments`.execute(
      postgres.database.connect(),
    )
    figure(`${payments.length} payments, ${killed} kills`)
    t.equal(payments.length, wanted, 'no payment was lost, none was made twice')
    t.ok(killed >= kills - 1, `${killed} kills`)

    const entriesOf = Map.groupBy(after.entries, ({ paymentId }) => paymentId ?? '')
    const ibans = new Set(after.accounts.map(({ iban }) => iban))
    const wrong: unknown[] = []
    let left = new Big(0)
    let settled = 0
    for (const payment of payments) {
      const entries = entriesOf.get(payment.id) ?? []
      const isSettled = payment.status === 'ACSC' || payment.status === 'ACCC'
      const isOurs = ibans.has(payment.creditor)
      if (isSettled) settled += 1
      if (isSettled && !isOurs) left = left.plus(payment.amount)
      const amounts = entries.map(({ amount }) => new Big(amount).toFixed(2)).sort()
      const amount = new Big(payment.amount).toFixed(2)
      const expected = isSettled ? [`-${amount}`, ...(isOurs ? [amount] : [])] : []
      const isRight =
        JSON.stringify(amounts) === JSON.stringify(expected.sort()) &&
        new Set(entries.map(({ accountId }) => accountId)).size === entries.length
      if (!isRight) wrong.push({ payment, entries })
    }
    t.strictSame(wrong.slice(0, 5), [], 'one entry on each account of this bank, none before')
    t.ok(settled > wanted * 0.9, `${settled} of ${wanted} are settled`)

    for (const { id, booked } of after.accounts) {
      const entries = after.entries.filter(({ accountId }) => accountId === id)
      const from = before.accounts.find((account) => account.id === id)
      const known = new Set(before.entries.map((entry) => entry.id))
      const fresh = entries.filter((entry) => !known.has(entry.id))
      const moved = new Big(booked).minus(from?.booked ?? 0).toFixed(2)
      if (moved !== total(fresh.map(({ amount }) => amount))) t.fail(`${id} has moved by ${moved}`)
      // Each entry goes on from the one before; the first of them from the opening.
      for (const [index, entry] of entries.entries()) {
        const previous = entries[index - 1]
        if (previous === undefined) continue
        const balance = new Big(previous.balanceAfter).plus(entry.amount)
        if (!balance.eq(entry.balanceAfter))
          t.fail(`${id}: entry ${entry.sequence} does not add up`)
      }
      const last = entries.at(-1)
      if (last !== undefined && !new Big(last.balanceAfter).eq(booked)) t.fail(`${id}: ${booked}`)
    }
    const sumOf = ({ accounts }: Books) => total(accounts.map(({ booked }) => booked))
    t.equal(
      new Big(sumOf(before)).minus(sumOf(after)).toFixed(2),
      left.toFixed(2),
      'what is missing is what has left to other banks',
    )
  },
)
