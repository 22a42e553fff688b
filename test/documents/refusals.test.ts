import t from 'tap'
import { type ErrorCode, errors } from '../../src/platform/http/errors.ts'
import { renderProblem } from '../../src/platform/http/problem.ts'
import { published } from '../support/published.ts'

const context = {
  requestId: '99391c7e-ad88-49ec-a2ad-99ddcb1f7721',
  portalUrl: 'https://portal.bank.example',
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code)

/** Codes that only the portal answers with. */
const portalCodes = [
  'STORE_UNAVAILABLE',
  'INPUT_INVALID',
  'SESSION_REQUIRED',
  'CREDENTIALS_INVALID',
  'STEP_UP_REQUIRED',
  'SECOND_FACTOR_INVALID',
  'CHALLENGE_EXPIRED',
  'ENROLMENT_REQUIRED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED',
  'APPROVAL_PENDING',
  'DEVELOPER_SUSPENDED',
  'SIGN_UP_CLOSED',
  'LINK_INVALID',
  'CROSS_SITE',
  'CONFLICT',
]

const entitlement = { api: 'xs2a', version: '1.7.0' }
const quota = {
  type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  'violated-policies': ['default'],
  operation: 'listAccounts',
  limit: 100,
  windowSeconds: 3600,
}

/** The members that the refusals of a code have, one entry for each form. */
const membersOf: Partial<Record<ErrorCode, readonly Readonly<Record<string, unknown>>[]>> = {
  ADDRESS_NOT_ALLOWED: [entitlement],
  NOT_SUBSCRIBED: [entitlement],
  APPLICATION_SUSPENDED: [entitlement],
  CLIENT_ROLE_INVALID: [{ role: 'PSP_AI' }],
  OPERATION_NOT_IN_VERSION: [{ requestedVersion: '1.7.0', availableIn: ['1.6.0'] }],
  VERSION_RETIRED: [{}, { successor: '1.7.0' }],
  QUOTA_EXCEEDED: [
    { ...quota, resetsAt: '2026-11-20T10:00:00.000Z' },
    { ...quota, degraded: true },
  ],
}

for (const [api, version] of [
  ['mandate', '1.0.0'],
  ['xs2a', '1.6.0'],
  ['xs2a', '1.7.0'],
] as const) {
  const { operations, describe, body, validator } = published(api, version)

  t.test(
    `every refusal of the gateway is in the reference of each operation of ${api}@${version}`,
    async (t) => {
      for (const code of Object.keys(errors).filter(isErrorCode)) {
        if (portalCodes.includes(code)) continue
        for (const members of membersOf[code] ?? [{}]) {
          const { status, body: text } = renderProblem({ code, detail: 'Why.', members }, context)
          for (const { id } of operations) {
            const statuses = describe(id).responses.map(([name]) => name)
            const of = statuses.includes(String(status)) ? String(status) : 'default'
            const validate = validator(body(id, of, 'application/problem+json').schema)
            t.ok(validate(JSON.parse(text)), `${id} ${status} ${code}`, { errors: validate.errors })
          }
        }
      }
    },
  )

  t.test(
    `no operation of ${api}@${version} admits a code under a status that is not its own`,
    async (t) => {
      for (const { id } of operations) {
        for (const [status] of describe(id).responses) {
          if (Number(status) < 400 || status === 'default') continue
          const foreign: ErrorCode = status === '404' ? 'KEY_INVALID' : 'NOT_FOUND'
          const { body: text } = renderProblem({ code: foreign }, context)
          const problem = { ...JSON.parse(text), status: Number(status) }
          const validate = validator(body(id, status, 'application/problem+json').schema)
          t.notOk(validate(problem), `${id} ${status}`)
        }
      }
    },
  )
}
