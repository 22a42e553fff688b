import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { type Onboarded, onboard } from '../../src/portal/stores/accounts/onboard.ts'
import { createAuthority, type TestCertificate } from '../../test/support/authority.ts'
import { type Answer, burst, codeOf } from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { keepCalling } from '../support/keep-calling.ts'

t.setTimeout(600_000)

const rounds = proofSize({ share: 2, whole: 5 })

/** A change that an operator makes by command while an application calls. */
interface Change {
  readonly what: string
  command(caller: Caller): readonly string[]
  /** Whether the process that gave this answer has applied it. */
  isApplied(answer: Answer): boolean
}

interface Caller extends Onboarded {
  readonly certificate: TestCertificate
}

const isSuspended = (answer: Answer) => codeOf(answer) === 'APPLICATION_SUSPENDED'

const changes: readonly Change[] = [
  {
    what: 'a revoked key',
    command: ({ keyId }) => ['key', 'revoke', keyId],
    isApplied: (answer) => codeOf(answer) === 'KEY_INVALID',
  },
  {
    what: 'a suspended application',
    command: ({ applicationId }) => ['application', 'suspend', applicationId],
    isApplied: isSuspended,
  },
  {
    what: 'a suspended developer',
    command: ({ developerId }) => ['developer', 'suspend', developerId],
    isApplied: isSuspended,
  },
  {
    what: 'a blocked certificate',
    command: ({ certificate }) => [
      'certificate',
      'block',
      certificate.thumbprint,
      '--reason',
      'stolen',
    ],
    isApplied: (answer) => codeOf(answer) === 'CLIENT_CERTIFICATE_BLOCKED',
  },
  {
    what: 'an override',
    command: ({ applicationId }) => [
      'override',
      'add',
      '--application',
      applicationId,
      '--api',
      'xs2a@1.7.0',
      '--calls',
      '10',
      '--until',
      '+1d',
      '--reason',
      'incident',
    ],
    isApplied: ({ headers }) => headers['x-ratelimit-limit'] === '10',
  },
]

t.test(
  'what an operator changes reaches callers of four processes within a second',
  { skip: fleetMissing() },
  async (t) => {
    const authority = createAuthority(t)
    const folder = t.testdir({ 'ca.pem': authority.pem })
    const fleet = await startFleet(t, {
      size: 4,
      env: {
        AUTH_FAILURES_PER_MINUTE: '100000',
        GATEWAY_CLIENT_CERTIFICATES: 'optional',
        CLIENT_CERTIFICATE_CA_FILE: join(folder, 'ca.pem'),
        CLIENT_CERTIFICATE_PROXIES: '127.0.0.1',
      },
    })

    async function newCaller(name: string): Promise<Caller> {
      const onboarded = await onboard(fleet.stores, {
        email: `${name}@tollgate.example`,
        developerName: name,
        applicationName: name,
        subscriptions: [{ api: 'xs2a', version: '1.7.0', plan: 'default' }],
        by: 'test',
      })
      const certificate = authority.issue()
      await fleet.stores.certificates.add({
        applicationId: onboarded.applicationId,
        use: 'tls',
        name: 'one',
        by: 'test',
        certificate: Buffer.from(certificate.pem),
      })
      return { ...onboarded, certificate }
    }

    for (const [kind, { what, command, isApplied }] of changes.entries()) {
      await t.test(what, async (t) => {
        const figures: number[] = []
        for (let round = 0; round < rounds; round += 1) {
          const caller = await newCaller(`caller-${kind}-${round}`)
          const headers = { 'client-cert': caller.certificate.field }
          const callers = fleet.clients.map((client) => keepCalling(client, caller.key, headers))
          await delay(500)
          const ended = await tollgateProcess(fleet.env, ...command(caller))
          const changedAt = Date.now()
          t.equal(ended.code, 0, ended.stderr)
          const isLater = ({ begunAt }: Answer) => begunAt >= changedAt + 1000
          await until('every process answered a call begun a second after the change', () =>
            callers.every(({ answers }) => answers.some(isLater)),
          )
          await Promise.all(callers.map(({ stop }) => stop()))
          for (const { answers } of callers) {
            const [first] = answers
            t.ok(first?.status === 200 && !isApplied(first), 'the key was in use')
            t.ok(answers.filter(isLater).every(isApplied), 'for good')
            const last = answers.findLast((answer) => !isApplied(answer))
            figures.push((last?.begunAt ?? 0) - changedAt)
          }
        }
        const slowest = Math.max(...figures)
        t.ok(slowest < 1000, `${slowest} ms`)
        figure(
          `${what}: last call of ${figures.length} without it ${slowest} ms after the command ended (negative: before); fastest ${Math.min(...figures)} ms`,
        )
      })
    }
  },
)

t.test(
  'a rotated key works beside its successor until the overlap ends, on all processes',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const fleet = await startFleet(t, { size: 2 })
    const { key, keyId } = await newApplication(fleet.stores, 'rotated')
    const statuses = async (used: string) =>
      (await burst(fleet.clients, 2, { key: used })).map(({ status }) => status)
    t.same(await statuses(key), [200, 200])
    const overlapSeconds = 4
    const from = Date.now()
    const rotated = await tollgateProcess(
      fleet.env,
      'key',
      'rotate',
      keyId,
      '--overlap',
      String(overlapSeconds),
      '--json',
    )
    t.equal(rotated.code, 0, rotated.stderr)
    const overlapEnd = Date.now() + overlapSeconds * 1000
    const successor: string = JSON.parse(rotated.stdout).key
    t.same(await statuses(successor), [200, 200], 'the new key works at once')
    while (Date.now() < from + overlapSeconds * 1000 - 300) {
      t.same(await statuses(key), [200, 200], 'the old one goes on')
      await delay(250)
    }
    await delay(overlapEnd - Date.now() + 100)
    t.same(await statuses(key), [401, 401], 'until the overlap ends')
    t.same(await statuses(successor), [200, 200])
  },
)
