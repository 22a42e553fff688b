import t from 'tap'
import { checkDeployment } from '../../src/platform/settings/deployment.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { runTollgate } from '../support/tollgate.ts'

const path = '/.well-known/security.txt'
const contact = 'mailto:security@bank.example'
const policy = 'https://bank.example/security'

/** The fields of a file, each name in lower case (RFC 9116, section 2.2). */
function fieldsOf(text: string): [string, string][] {
  t.match(text, /^(?:[^\r\n]+\r\n)+$/, 'only lines that end with CRLF')
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Za-z-]+): (.+)$/.exec(line) ?? []
      return [name.toLowerCase(), value]
    })
}

t.test(
  'security.txt has the contact and policy of the settings, and expires in less than a year',
  async (t) => {
    const { urls } = await runTollgate(t, {
      env: {
        SECURITY_CONTACT: contact,
        SECURITY_POLICY: policy,
        PORTAL_PUBLIC_URL: 'https://developer.bank.example',
      },
    })
    const answer = await fetch(urls.portal + path)
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    const fields = fieldsOf(await answer.text())
    const { expires = '', ...others } = Object.fromEntries(fields)
    t.same(others, {
      contact,
      canonical: `https://developer.bank.example${path}`,
      'preferred-languages': 'en',
      policy,
    })
    t.equal(fields.length, 5, 'each field once')
    t.match(expires, /^\d{4}-\d\d-\d\dT00:00:00Z$/)
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    t.ok(expires > inDays(90) && expires < inDays(365), `${expires} is months ahead`)
    t.equal((await fetch(urls.gateway + path)).status, 404, 'the gateway has no file')
  },
)

t.test('without a contact there is no security.txt, even for a browser', async (t) => {
  const { urls } = await runTollgate(t)
  const answer = await fetch(urls.portal + path)
  t.equal(answer.status, 404)
  t.equal(answer.headers.get('content-type'), 'application/problem+json')
  const page = await fetch(urls.portal + path, { headers: { accept: 'text/html' } })
  t.equal(page.status, 404)
})

t.test(
  'a contact or policy that no reader of security.txt can use is refused at startup',
  async (t) => {
    for (const value of [
      'security@bank.example',
      'http://bank.example/report',
      'javascript:alert(1)',
      'mailto:a@bank.example\r\nContact: mailto:evil@example.com',
      'mailto:nowhere',
      'tel:',
    ]) {
      const refused = { message: /^ {2}SECURITY_CONTACT: /m }
      t.throws(() => readSettings({ SECURITY_CONTACT: value }), refused, value)
    }
    for (const value of [contact, 'https://bank.example/report?team=edge', 'tel:+972-3-555-0100']) {
      t.equal(readSettings({ SECURITY_CONTACT: value }).securityContact, value)
    }
    for (const value of ['http://bank.example/policy', '/policy', 'https://bank.example/\r\nx']) {
      const refused = { message: /^ {2}SECURITY_POLICY: /m }
      t.throws(() => readSettings({ SECURITY_POLICY: value }), refused, value)
    }
    const alone = readSettings({ SECURITY_POLICY: policy })
    t.throws(() => checkDeployment(alone, new Set(['gateway', 'portal', 'backend'])), {
      message: /SECURITY_CONTACT: is required with SECURITY_POLICY/,
    })
  },
)
