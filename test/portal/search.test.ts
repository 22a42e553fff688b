import { readFileSync } from 'node:fs'
import t from 'tap'
import { createWords } from '../../src/messages/format.ts'
import type { Language } from '../../src/messages/language.ts'
import { createGuides } from '../../src/portal/guides/guides.ts'
import { createSearchIndex } from '../../src/portal/guides/search-index.ts'
import { actionsOf } from '../../src/portal-ui/search/actions.ts'
import { type Findable, findEntries } from '../../src/portal-ui/search/find-entries.ts'
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

/** All that a developer with an application can find. */
async function entriesIn(language: Language): Promise<(Findable & { readonly href: string })[]> {
  const file = new URL(`../../src/messages/${language}.json`, import.meta.url)
  const { t } = createWords(language, JSON.parse(readFileSync(file, 'utf8')))
  const actions = actionsOf({ applicationId: 'a', isSignedIn: true, hasSandbox: true, t })
  const none = { detail: '', place: '', words: '', text: '' }
  return [...actions.map((action) => ({ ...none, ...action })), ...(await searchIndex(language))]
}

const entries = { en: await entriesIn('en'), he: await entriesIn('he') }

/** Addresses of what a query finds, best first. */
function found(language: Language, query: string) {
  const options = { query, language, most: 12 }
  const { entries: matching, isExact } = findEntries(newestOnly(entries[language], query), options)
  return { hrefs: matching.map(({ href }) => href), isExact }
}

const xs2a = '/apis/xs2a/1.7.0#tag/'

t.test('the search finds what a developer looks for, best first', async (t) => {
  const best = {
    en: {
      'first call': '/guides/first-call',
      consent: '/guides/consent',
      QUOTA: '/problems/QUOTA_EXCEEDED',
      'quota exceeded': '/problems/QUOTA_EXCEEDED',
      listAccounts: `${xs2a}accounts/listAccounts`,
      lstAcc: `${xs2a}accounts/listAccounts`,
      '/v1.6.0/accounts/{account-id}/balances': '/apis/xs2a/1.6.0#tag/accounts/getAccountBalances',
      'xs2a 1.7.0': '/apis/xs2a/1.7.0',
    },
    he: {
      הסכמה: '/guides/consent',
      תשלום: '/guides/payments',
      מגבלות: '/guides/limits',
      QUOTA: '/problems/QUOTA_EXCEEDED',
      listAccounts: `${xs2a}accounts/listAccounts`,
    },
  }
  for (const [query, href] of Object.entries(best.en))
    t.equal(found('en', query).hrefs[0], href, query)
  for (const [query, href] of Object.entries(best.he))
    t.equal(found('he', query).hrefs[0], href, query)
  const operation = 'tag/accounts/listAccounts'
  const all = found('en', 'list accounts').hrefs
  t.ok(all.includes(`/apis/xs2a/1.7.0#${operation}`))
  t.notOk(all.includes(`/apis/xs2a/1.6.0#${operation}`), 'the newest version only')
  t.ok(
    found('en', 'list accounts 1.6.0').hrefs.includes(`/apis/xs2a/1.6.0#${operation}`),
    'if named',
  )
  t.same(found('en', '  ').hrefs, [])
})

/** What people type, and what must be among the first three. */
const asked: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    webhook: '/applications/a/alerts',
    webhooks: '/applications/a/alerts',
    'rate limit': '/guides/limits',
    RateLimit: '/guides/limits',
    pagination: '/guides/consent#read-with-the-consent',
    idempotency: '/guides/errors#should-you-try-again',
    'rotate key': '/applications/a/keys',
    'two factor': '/profile',
    '2fa': '/profile',
    'change plan': '/applications/a/subscriptions',
    'sandbox password': '/sandbox',
    uptime: '/problems/BACKEND_UNREACHABLE',
    'how do I get a consent': '/guides/consent',
    'Where can I sign requests?': '/guides/signing',
    'delete my account': '/profile',
    'why 401': '/applications/a/calls',
    openapi: '/apis/xs2a/1.7.0',
    postman: '/apis/xs2a/1.7.0',
    certificate: '/guides/certificates',
    mtls: '/guides/certificates',
    'redirect uri': '/applications/a/settings',
    transactions: `${xs2a}accounts/listAccountTransactions`,
    bookingStatus: `${xs2a}accounts/listAccountTransactions`,
    'cancel payment': `${xs2a}payments/cancelPayment`,
    'test users': '/sandbox',
    'more calls': '/applications/a/usage',
    'ip whitelist': '/applications/a/keys',
    'move to 1.7.0': '/guides/moving-to-1.7.0',
    'api key expired': '/problems/KEY_INVALID',
    'get balance': `${xs2a}accounts/getAccountBalances`,
    'revoke consent': `${xs2a}consents/deleteConsent`,
    'direct debit': '/guides/mandates',
    'bulk payment': '/guides/payments',
    'forgot password': '/profile',
    refund: `${xs2a}payments/cancelPayment`,
    sdk: '/guides/signing#a-complete-program',
  },
  he: {
    'איך מחליפים מפתח': '/applications/a/keys',
    webhook: '/applications/a/alerts',
    'מגבלת קצב': '/guides/limits',
    'אימות דו שלבי': '/profile',
    'סיסמה של לקוח': '/sandbox',
    'שינוי תוכנית': '/applications/a/subscriptions',
    'ביטול תשלום': `${xs2a}payments/cancelPayment`,
    תנועות: `${xs2a}accounts/listAccountTransactions`,
    יתרה: `${xs2a}accounts/getAccountBalances`,
    תעודה: '/guides/certificates',
    חתימה: '/guides/signing',
    'מחיקת חשבון': '/profile',
    'למה נדחתה הקריאה': '/applications/a/calls',
    'הוראת קבע': '/guides/mandates',
    דפדוף: '/guides/consent#read-with-the-consent',
    'rate limit': '/guides/limits',
    'מעבר לגרסה חדשה': '/applications/a/subscriptions',
    'כתובת IP': '/applications/a/keys',
  },
}

t.test('what people ask for is among the first three', async (t) => {
  for (const language of ['en', 'he'] as const) {
    for (const [query, href] of Object.entries(asked[language])) {
      const { hrefs } = found(language, query)
      t.ok(hrefs.slice(0, 3).includes(href), `${query}: ${hrefs.slice(0, 4).join(' ')}`)
    }
  }
})

t.test('a query of which nothing has every word finds what has the most of it', async (t) => {
  const { hrefs, isExact } = found('en', 'consent zzzz')
  t.equal(hrefs[0], '/guides/consent')
  t.notOk(isExact)
  t.same(found('en', 'zzzz'), { hrefs: [], isExact: false })
})

t.test(
  'a result has the words of a search in any case, without vowel points or after a prefix',
  async (t) => {
    const entry = (title: string) => ({ title, detail: '', place: '', words: '', text: '' })
    const some = ['קריאת החשבונות', 'Read a balance', 'Read a café', 'בַּנְק'].map(entry)
    const titles = (query: string, language: Language = 'en') =>
      findEntries(some, { query, language, most: 9 }).entries.map(({ title }) => title)
    t.same(titles('חשבונות', 'he'), ['קריאת החשבונות'])
    t.equal(titles('read BAL')[0], 'Read a balance')
    t.same(titles('cafe?'), ['Read a café'])
    t.same(titles('בנק', 'he'), ['בַּנְק'])
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
