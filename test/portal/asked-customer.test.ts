import t from 'tap'
import {
  askedCustomer,
  consentCall,
} from '../../src/portal-ui/pages/applications/try/asked-customer.ts'

t.test('an address names a customer, and for a corporation both', async (t) => {
  const asked = (query: string) => askedCustomer(new URLSearchParams(query))
  t.same(asked('customer=305567661'), { psuId: '305567661', corporateId: '' })
  t.same(asked('customer=1&corporation=2'), { psuId: '1', corporateId: '2' })
  t.equal(asked('operation=createConsent'), undefined)
})

t.test(
  'the customer is asked with the first version that has consents, which is the recommended one',
  async (t) => {
    const posted = (id: string, path: string) => ({
      id,
      path,
      method: 'POST',
      tag: '',
      summary: '',
    })
    const version = (name: string, ...operations: ReturnType<typeof posted>[]) => ({
      name,
      operations,
    })
    const newest = version('1.7.0', posted('createConsent', '/v1.7.0/consents'))
    const older = version('1.6.0', posted('createConsent', '/v1.6.0/consents'))
    const mandates = version('1.0.0', posted('createMandate', '/v1.0.0/mandates'))
    t.match(consentCall([mandates, newest, older]), {
      version: { name: '1.7.0' },
      operation: { path: '/v1.7.0/consents' },
    })
    t.equal(consentCall([mandates]), undefined)
  },
)
