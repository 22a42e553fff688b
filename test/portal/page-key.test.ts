import t from 'tap'
import type { IssuedKey } from '../../src/portal/api/schemas/applications.ts'
import { draftCall } from '../../src/portal-ui/calls/call-draft.ts'
import type { CallShape } from '../../src/portal-ui/calls/call-shape.ts'
import { createPageKey } from '../../src/portal-ui/calls/page-key.ts'
import type { CallAnswer, SendCallOptions } from '../../src/portal-ui/calls/send-call.ts'

const requestId = { name: 'X-Request-ID', place: 'header', isRequired: true, example: '' }
const shape = { parameters: [requestId] } as unknown as CallShape
const call = { gatewayUrl: 'http://gateway.example', draft: draftCall(shape) }

function answered(status: number, mediaType = '', body: object = {}): CallAnswer {
  const text = JSON.stringify(body)
  return { kind: 'answered', status, statusText: '', ms: 1, headers: [], mediaType, body: text }
}

const refusal = {
  type: 'https://portal.example/problems/KEY_INVALID',
  code: 'KEY_INVALID',
}
const refused = answered(401, 'application/problem+json', refusal)
const accepted = answered(200)

/** A page whose keys are numbered, each for 15 minutes, and a gateway that refuses some. */
function createPage(refusedKeys: readonly string[], refuses = refused) {
  const issued: string[] = []
  const sent: SendCallOptions[] = []
  const issue = async () => {
    issued.push(`key-${issued.length + 1}`)
    const times = { createdAt: '2026-12-01T10:00:00Z', expiresAt: '2026-12-01T10:15:00Z' }
    return { key: issued.at(-1), ...times } as unknown as IssuedKey
  }
  const page = createPageKey(issue, async (options) => {
    sent.push(options)
    return refusedKeys.includes(options.key) ? refuses : accepted
  })
  return { page, issued, sent }
}

t.test('calls of a page share one key, even before it is made', async (t) => {
  const { page, issued } = createPage([])
  t.same(await Promise.all([page.send(call), page.send(call)]), [accepted, accepted])
  t.same(await page.send(call), accepted)
  t.same(issued, ['key-1'])
})

t.test(
  'a refused key is replaced once, even if several calls met it; each has a new identifier',
  async (t) => {
    const { page, issued, sent } = createPage(['key-1'])
    const answers = await Promise.all([page.send(call), page.send(call), page.send(call)])
    t.same(answers, [accepted, accepted, accepted])
    t.same(issued, ['key-1', 'key-2'])
    const ids = sent.slice(2).map(({ draft }) => draft.values['header X-Request-ID'])
    t.equal(new Set(ids).size, 4)
  },
)

t.test('if the next key is refused, too, that is the answer', async (t) => {
  const { page, issued } = createPage(['key-1', 'key-2'])
  t.same(await page.send(call), refused)
  t.same(issued, ['key-1', 'key-2'])
})

t.test('an answer of an API that only looks like the refusal is shown as it came', async (t) => {
  for (const answer of [
    answered(401, 'application/json', refusal),
    answered(401, 'application/problem+json', { ...refusal, type: 'about:blank' }),
    answered(401, 'application/problem+json', { ...refusal, code: 'KEY_UNKNOWN' }),
    answered(403, 'application/problem+json', refusal),
  ]) {
    const { page, issued } = createPage(['key-1'], answer)
    t.same(await page.send(call), answer)
    t.same(issued, ['key-1'])
  }
})

t.test('after a key could not be made, the next call makes one', async (t) => {
  let isDown = true
  const page = createPageKey(
    async () => {
      if (isDown) throw new Error('no connection')
      return { key: 'key', createdAt: '', expiresAt: '' } as unknown as IssuedKey
    },
    async () => accepted,
  )
  await t.rejects(page.send(call), /no connection/)
  isDown = false
  t.same(await page.send(call), accepted)
})
