import t from 'tap'
import type { Language } from '../../src/messages/language.ts'
import { createGuides } from '../../src/portal/guides/guides.ts'
import { createSearchIndex } from '../../src/portal/guides/search-index.ts'
import { findEntries } from '../../src/portal-ui/search/find-entries.ts'
import { newestOnly } from '../../src/portal-ui/search/newest-only.ts'
import { requestIdIn } from '../../src/portal-ui/search/request-id.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

const catalogue = await publishedCatalogue()
const services = {
  catalogue: () => catalogue,
  gatewayUrl: () => 'https://api.example',
  portalUrl: () => 'https://portal.example',
  now: Date.now,
  sandbox: undefined,
}
const searchIndex = createSearchIndex({ ...services, guides: createGuides(services) })

/** Addresses of what a query finds, best first. */
async function found(language: Language, query: string): Promise<string[]> {
  return findEntries(newestOnly(await searchIndex(language), query), query, 12).map(
    ({ href }) => href,
  )
}

t.test('the search finds what a developer looks for, best first', async (t) => {
  const best = {
    en: {
      'first call': '/guides/first-call',
      consent: '/guides/consent',
      QUOTA: '/problems/QUOTA_EXCEEDED',
      'quota exceeded': '/problems/QUOTA_EXCEEDED',
      listAccounts: '/apis/xs2a/1.7.0#tag/accounts/listAccounts',
      lstAcc: '/apis/xs2a/1.7.0#tag/accounts/listAccounts',
      '/v1.6.0/accounts/{account-id}/balances': '/apis/xs2a/1.6.0#tag/accounts/getAccountBalances',
      'xs2a 1.7.0': '/apis/xs2a/1.7.0',
    },
    he: {
      הסכמה: '/guides/consent',
      תשלום: '/guides/payments',
      מגבלות: '/guides/limits',
      QUOTA: '/problems/QUOTA_EXCEEDED',
      listAccounts: '/apis/xs2a/1.7.0#tag/accounts/listAccounts',
    },
  }
  for (const [query, href] of Object.entries(best.en))
    t.equal((await found('en', query))[0], href, query)
  for (const [query, href] of Object.entries(best.he))
    t.equal((await found('he', query))[0], href, query)
  t.ok((await found('en', '429')).includes('/guides/limits#handle-429'))
  const operation = 'tag/accounts/listAccounts'
  const all = await found('en', 'list accounts')
  t.ok(all.includes(`/apis/xs2a/1.7.0#${operation}`))
  t.notOk(all.includes(`/apis/xs2a/1.6.0#${operation}`), 'the newest version only')
  t.ok(
    (await found('en', 'list accounts 1.6.0')).includes(`/apis/xs2a/1.6.0#${operation}`),
    'if named',
  )
  t.same(await found('en', 'zzzz'), [])
  t.same(await found('en', '  '), [])
})

t.test(
  'a result contains every word of a search, in any case, without vowel points or after a prefix',
  async (t) => {
    const entry = (title: string) => ({ title, detail: '', place: '', words: '' })
    const entries = ['קריאת החשבונות', 'Read a balance', 'Read a café', 'בַּנְק'].map(entry)
    const titles = (query: string) => findEntries(entries, query, 9).map(({ title }) => title)
    t.same(titles('חשבונות'), ['קריאת החשבונות'])
    t.same(titles('read BAL'), ['Read a balance'])
    t.same(titles('cafe'), ['Read a café'])
    t.same(titles('בנק'), ['בַּנְק'])
    t.same(titles('read nothing'), [])
  },
)

t.test(
  'a pasted id of a call is recognised by itself, as a URN and at the end of an address',
  async (t) => {
    const id = '99391c7e-ad88-49ec-a2ad-99ddcb1f7721'
    for (const text of [
      id,
      ` ${id.toUpperCase()} `,
      `urn:uuid:${id}`,
      `https://portal.example/r/${id}`,
    ]) {
      t.equal(requestIdIn(text), id, text)
    }
    for (const text of ['', id.slice(1), `x${id}`, 'consent'])
      t.equal(requestIdIn(text), undefined, text)
  },
)
