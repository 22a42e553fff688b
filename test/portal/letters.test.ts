import t from 'tap'
import { type Language, languageFacts, languages } from '../../src/messages/language.ts'
import { type Letter, renderLetter } from '../../src/portal/mail/letters.ts'
import { createOptOuts } from '../../src/portal/mail/opt-out.ts'
import { sealMail, unsealMail } from '../../src/portal/mail/sealed-mail.ts'
import { testKeyring } from '../support/keyring.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

const portalUrl = 'https://developer.bank.example'
const catalogue = await publishedCatalogue()
const optOuts = createOptOuts({ key: testKeyring(1) })
const developerId = '0b5f0f6e-4f0f-4a5b-9a55-0123456789ab'
const at = new Date('2026-11-20T14:05:09Z')

/** Every letter, with these names where it has some. */
function lettersWith(name: string): Letter[] {
  const key = { developerId, applicationId: developerId, applicationName: name, keyName: name, at }
  const token = 'T'.repeat(43)
  const limit = {
    applicationId: developerId,
    applicationName: name,
    api: 'xs2a',
    version: '1.7.0',
    limit: 'default',
  }
  return [
    { kind: 'sign-up', token },
    { kind: 'known-address' },
    { kind: 'password-reset', token },
    { kind: 'password-changed', at },
    { kind: 'email-change', token },
    { kind: 'address-changed', at },
    { kind: 'sign-in-paused' },
    { kind: 'factor-added', factor: 'totp', at },
    { kind: 'factor-removed', factor: 'passkey', at },
    { kind: 'factors-reset', at },
    { kind: 'recovery-code-used', at },
    { kind: 'recovery-codes-replaced', at },
    { kind: 'codes-refused' },
    { kind: 'approved' },
    { kind: 'key-issued', ...key, hint: 'tg_abc_…wxyz' },
    { kind: 'key-revoked', ...key, hint: 'tg_abc_…wxyz' },
    { kind: 'key-addresses-changed', ...key, hint: 'tg_abc_…wxyz' },
    {
      kind: 'keys-changed',
      developerId,
      since: at,
      changes: [
        {
          action: 'issue',
          applicationName: name,
          keyName: name,
          hint: 'tg_abc_…wxyz',
          at: at.toISOString(),
        },
      ],
      more: 3,
    },
    {
      kind: 'key-replaced',
      ...key,
      hint: 'tg_abc_…wxyz',
      newHint: 'tg_def_…stuv',
      worksUntil: at,
      isByItself: false,
    },
    { kind: 'key-self-replacement', ...key, hint: 'tg_abc_…wxyz', mayReplaceItself: true },
    {
      kind: 'limits-reached',
      developerId,
      applicationId: developerId,
      applicationName: name,
      alerts: [
        {
          applicationId: developerId,
          api: 'xs2a',
          version: '1.7.0',
          operation: 'listAccounts',
          limit: 10,
          used: 8,
          threshold: 80,
          resetsAt: at,
        },
      ],
      writtenAt: new Date(at.getTime() - 55 * 60_000),
    },
    {
      kind: 'expiring',
      developerId,
      applicationId: developerId,
      applicationName: name,
      items: [
        {
          of: 'key',
          id: 'abc',
          name,
          hint: 'tg_abc_…wxyz',
          expiresAt: at,
          days: 7,
          daysLeft: 7,
        },
      ],
    },
    {
      kind: 'limit-requested',
      ...limit,
      calls: 500,
      wantedUntil: at,
      reason: name,
      waiting: 3,
      developerName: name,
      developerEmail: name,
    },
    { kind: 'limit-granted', ...limit, calls: 500, until: at },
    { kind: 'limit-declined', ...limit, calls: 500, answer: name },
    {
      kind: 'deprecation',
      developerId,
      api: 'xs2a',
      version: '1.6.0',
      deprecated: '2024-04-14',
      sunset: '2027-10-31',
      retired: undefined,
      successor: '1.7.0',
      daysLeft: 30,
      applications: [
        {
          id: developerId,
          subscriptionId: developerId,
          name,
          calls: 4711,
          replay: { calls: 1000, allowed: 900, missing: 100 },
        },
      ],
    },
  ]
}

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'http://evil.example/path',
  'HTTPS://EVIL.EXAMPLE',
  'www.evil.com',
  'evil。example',
  'mailto:evil@evil.example',
  'javascript:alert(1)',
  'a\r\nBcc: victim@evil.example\r\n\r\nbody',
  'a\u2028b\u0000c\u202egnp.exe',
  '{{7*7}} $(7) %0d%0aX: y',
]

/** Every letter in every language. */
function inEveryLanguage(name: string) {
  return languages.flatMap((language) => lettersWith(name).map((letter) => ({ letter, language })))
}

/** The same letter with a harmless name. */
function harmless(letter: Letter, language: Language) {
  const other = lettersWith('x').find(({ kind }) => kind === letter.kind) ?? letter
  return renderLetter(other, { portalUrl, optOuts, language, catalogue })
}

t.test('names cannot become markup, links, lines or headers', async (t) => {
  for (const [index, name] of hostile.entries()) {
    for (const { letter, language } of inEveryLanguage(name)) {
      const { subject, text, html } = renderLetter(letter, {
        portalUrl,
        optOuts,
        language,
        catalogue,
      })
      const where = `${letter.kind} in ${language} with hostile name ${index}`
      const characters = language === 'en' ? /^[\x20-\x7e]{5,60}$/ : /^[\x20-\x7e֐-״⁨⁩]{5,70}$/
      t.match(subject, characters, `the subject of ${where}`)
      t.equal(subject, harmless(letter, language).subject)
      for (const body of [text, html]) {
        t.notMatch(body, /[\u202e\u2028\r\u0000]/, `no control characters in ${where}`)
        const foreign = body.replaceAll(portalUrl, '').replace('@media', '')
        t.notMatch(
          foreign,
          /[a-z]:\/\/|www\.|evil[.。]|javascript:|@/i,
          `no foreign link in ${where}`,
        )
      }
      t.notMatch(html, /<script|<img|onerror=[^&]*>/i, `inert in ${where}`)
      const lines = (of: string) => of.split('\n').length
      t.equal(lines(text), lines(harmless(letter, language).text), `no line more in ${where}`)
    }
  }
})

t.test('ordinary names stay as they are', async (t) => {
  for (const name of [
    'Budget 2.0',
    "Ada's app & friends",
    'חשבון',
    'App (test) №1',
    'a:b',
    '👩‍💻',
  ]) {
    for (const { letter, language } of inEveryLanguage(name)) {
      if (!letter.kind.startsWith('key-')) continue
      const { text } = renderLetter(letter, { portalUrl, optOuts, language, catalogue })
      t.ok(text.includes(`"${name}"`), `${letter.kind} shows ${name}`)
    }
  }
})

t.test('every link leads to the portal, and HTML loads nothing', async (t) => {
  for (const { letter, language } of inEveryLanguage('x')) {
    const { text, html } = renderLetter(letter, { portalUrl, optOuts, language, catalogue })
    const links = [...`${text}${html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(
      ([url]) => new URL(url),
    )
    t.ok(links.length > 0)
    for (const url of links) t.equal(url.origin, portalUrl)
    t.notMatch(html, /<(?:img|script|link|iframe|object|form)|url\(|@import|src=/i)
    t.match(html, /name="color-scheme" content="light dark"/)
  }
})

t.test('every letter is whole in its language and runs in its direction', async (t) => {
  for (const { letter, language } of inEveryLanguage('7')) {
    const { subject, text, html } = renderLetter(letter, {
      portalUrl,
      optOuts,
      language,
      catalogue,
    })
    const where = `${letter.kind} in ${language}`
    const { direction } = languageFacts[language]
    t.match(html, `<html lang="${language}" dir="${direction}">`, where)
    const shown = `${subject} ${html.replace(/<style.*<\/style>/s, '').replaceAll(/<[^>]*>/g, ' ')}`
    const words = `${shown} ${text}`.replaceAll(/https?:\/\/\S+/g, '')
    t.notMatch(words, /[{}]|undefined|\[object|mail\.[a-z]/, `nothing open in ${where}`)
    if (language === 'he') {
      const known = /Tollgate|API|UTC|passkey|7\[at\]evil\[\.\]example|tg_\w+|wxyz|stuv|quot/g
      t.notMatch(words.replaceAll(known, ''), /[a-z]{3}/i, `no English in ${where}`)
      t.match(subject, /\p{Script=Hebrew}{3}/u, where)
    } else {
      t.notMatch(words, /\p{Script=Hebrew}/u, where)
    }
    t.equal(html.split('background-color: #0a7180').length - 1 <= 2, true, `one button in ${where}`)
  }
})

t.test(
  'mails name versions and operations as the portal does, and say when a limit resets',
  async (t) => {
    const textOf = (kind: Letter['kind'], language: Language, brand = catalogue.brand) => {
      const letter = lettersWith('x').find((each) => each.kind === kind)
      if (letter === undefined) throw new Error('no letter')
      const given = { ...catalogue, brand }
      return renderLetter(letter, { portalUrl, optOuts, language, catalogue: given })
    }
    const { text } = textOf('limits-reached', 'en')
    t.match(text, '  API: Payments, accounts and consents 1.7.0\n')
    t.match(text, '  List accounts: 8 of 10 calls used; resets in 55 minutes (14:05 UTC)\n')
    t.match(
      textOf('limits-reached', 'he').text,
      /רשימת החשבונות: .*\u2068בעוד 55 דקות\u2069 \(\u206814:05 UTC\u2069\)/,
    )
    t.match(
      textOf('limit-granted', 'en').text,
      'API: Payments, accounts and consents 1.7.0\n  Calls',
    )
    t.equal(
      textOf('deprecation', 'en').subject,
      'Payments, accounts and consents 1.6.0 ends in 30 days',
    )
    t.notMatch(text, 'Questions?', 'without an address for questions, none is named')
    const support = { en: 'mailto:apis@bank.example', he: 'https://bank.example/he' }
    const branded = textOf('limits-reached', 'en', { ...catalogue.brand, support })
    t.match(branded.text, '\n\nQuestions? Write to apis@bank.example\n')
    t.match(
      branded.html,
      /href="mailto:apis@bank.example"[^>]*>Questions\? Write to apis@bank.example</,
    )
    const hebrew = textOf('limits-reached', 'he', { ...catalogue.brand, support })
    t.match(hebrew.text, 'שאלות? פנו אלינו:\nhttps://bank.example/he\n')
  },
)

t.test('mails one can do without say how to end them, the others do not', async (t) => {
  for (const { letter, language } of inEveryLanguage('x')) {
    const { text, html, optOutUrl } = renderLetter(letter, {
      portalUrl,
      optOuts,
      language,
      catalogue,
    })
    const isOptional = /^(limits|expiring|deprecation)/.test(letter.kind)
    t.equal(optOutUrl !== null, isOptional, letter.kind)
    t.equal(text.includes('/mails/opt-out#token='), isOptional)
    t.equal(html.includes('/mails/opt-out#token='), isOptional)
    const token = optOutUrl?.split('/').at(-1) ?? ''
    if (isOptional) t.equal(optOuts.verify(token)?.developerId, developerId)
  }
})

t.test(
  'an opt-out token says whose and which, and is worth nothing when anything in it changes',
  async (t) => {
    const mails = ['limits', 'deprecations'] as const
    for (const mail of mails) {
      const token = optOuts.sign({ developerId, mail })
      t.match(token, /^[A-Za-z0-9_-]{66}$/)
      t.same(optOuts.verify(token), { developerId, mail })
      const bytes = Buffer.from(token, 'base64url')
      for (let index = 0; index < bytes.length; index++) {
        const forged = Buffer.from(bytes)
        forged[index] = (forged[index] ?? 0) ^ 1
        t.equal(optOuts.verify(forged.toString('base64url')), undefined, `byte ${index}`)
      }
      t.equal(createOptOuts({ key: testKeyring(2) }).verify(token), undefined, 'another key')
      for (const other of ['', 'x', token.slice(1), `${token}A`, `${token} `, `${token}==`]) {
        t.equal(optOuts.verify(other), undefined, JSON.stringify(other))
      }
    }
  },
)

t.test('a sealed mail opens under its key only, whole only, and shows nothing', async (t) => {
  const key = testKeyring(3)
  const mail = {
    kind: 'sign-up',
    to: 'ada@example.com',
    messageId: '<1@portal.example>',
    subject: 'Confirm your address',
    text: 'https://portal.example/verify#token=secret-token',
    html: '<p>secret-token</p>',
    optOutUrl: null,
  } as const
  const sealed = sealMail(key, mail)
  t.same(unsealMail(key, sealed), mail)
  t.notSame(sealMail(key, mail), sealed, 'a nonce of its own')
  t.notMatch(sealed.toString('latin1'), /example|secret|verify|portal|Confirm/)
  t.equal(unsealMail(testKeyring(4), sealed), undefined)
  for (const index of [0, 1, 13, 29, sealed.length - 1]) {
    const damaged = Buffer.from(sealed)
    damaged[index] = (damaged[index] ?? 0) ^ 1
    t.equal(unsealMail(key, damaged), undefined, `byte ${index}`)
  }
  t.equal(unsealMail(key, sealed.subarray(0, -1)), undefined)
  t.equal(unsealMail(key, Buffer.alloc(0)), undefined)
})

t.test('an operator copies the address of a developer who asks for more calls', async (t) => {
  const letterTo = (developerEmail: string) => {
    const asked = lettersWith('Ada').find(({ kind }) => kind === 'limit-requested')
    if (asked?.kind !== 'limit-requested') throw new Error('no letter')
    return renderLetter(
      { ...asked, developerEmail },
      { portalUrl, optOuts, language: 'en', catalogue },
    )
  }
  const { text, html } = letterTo('ada.lovelace@dev.example.com')
  t.match(text, 'Address: ada.lovelace@dev.example.com\n')
  t.match(html, '<bdi>ada.lovelace@dev.example.com</bdi>')
  t.notMatch(letterTo('https://evil.example/@dev.example').text, 'https://evil.example')
})
