import t from 'tap'
import { refuseWeakPassword } from '../../src/portal/accounts/password-weakness.ts'

const owner = { email: 'anna.example@acmebank.test', name: 'Anna Example' }
const portalUrl = 'https://developer.riverbank.example'

const weak = [
  'Password2026!!!!',
  'letmein123456789',
  'Password12345678',
  'Passw0rd!Passw0rd!',
  'P@ssw0rdP@ssw0rd',
  'P4$$w0rd2026!!!',
  'p4ssw0rd12345678',
  'MyPassword123456',
  'mypasswordispassword',
  'thisisapassword',
  'ThisIsMyPassword1',
  'password!@#$%^&*()',
  'Welcome123!Welcome123!',
  'Summer2026!Winter2025!',
  'Spring2026Spring2026',
  'ChangeMe!2026!!',
  'changeme12345678',
  'letmeinletmein1!',
  'administrator123',
  'AdminAdmin123456',
  'qwertyuiopasdfgh',
  'qwerty1234567890',
  'Qwerty!2345678901',
  'asdfghjklasdfghjkl',
  '1qaz2wsx3edc4rfv',
  '!QAZ@WSX#EDC$RFV',
  '1q2w3e4r5t6y7u8i',
  'qazwsxedcrfvtgb',
  'aaaaaaaaaaaaaaaaaaa',
  'abcdefghijklmnop',
  '123456789012345',
  'abc123abc123abc123',
  'monkeymonkeymonkey',
  'sunshine sunshine',
  'Sunshine!1234567',
  'iloveyou12345678',
  'Liverpool2026!!!',
  'januaryfebruarymarch',
  'onetwothreefourfive',
  'correcthorsebatterystaple',
  'correct horse battery staple',
  'drowssapdrowssap',
  'St4rW4rsSt4rW4rs',
  '01/01/1990 01/01/1990',
  'anna.example@acmebank.test',
  'AnnaExample2026!',
  'acmebank12345678',
  'Tollgate2026!!!!',
]

t.test(
  'a long password that guessing programs try early is refused, with the reason',
  async (t) => {
    for (const password of weak) {
      await t.rejects(
        refuseWeakPassword(password, owner, portalUrl),
        /must be (harder to guess: it.+\. Use four or more words|without ")/,
        password,
      )
    }
  },
)

t.test('a password with the own name says so', async (t) => {
  await t.rejects(refuseWeakPassword('AnnaExample2026!', owner, portalUrl), /must be without "anna/)
})

t.test('a password has no word of the host of the portal', async (t) => {
  const refused = refuseWeakPassword('slow Riverbank carries old letters', owner, portalUrl)
  await t.rejects(refused, /must be without "riverbank"/)
  await t.resolves(refuseWeakPassword('quiet lamp under nine oaks', owner, 'http://127.0.0.1:81'))
})

t.test('passphrases and random passwords are accepted', async (t) => {
  for (const password of [
    'quiet lamp under nine oaks',
    'slow rivers carry old letters',
    'wombat ladder fuzz kettle',
    'brave cello onions tuesday',
    'violet trombone drifts home',
    'Gravel-Otter-Maple-Ninety',
    'we ate cold plums at dawn in Bergen',
    'purpleturnipmoonvalve',
    'kN7wq2Zp9xLr4TvB',
    '%(;_=~}?$+[^.*&',
    'j8#Kd02!mWq9zR$',
    'דג שמן מטייל בהרים',
    'blau Regen Tisch Komet Wolle',
  ]) {
    await t.resolves(refuseWeakPassword(password, owner, portalUrl), password)
  }
})

t.test('a hundred passwords of one owner keep no other owner waiting', async (t) => {
  const passphrase = 'quiet lamp under nine oaks'
  let judged = 0
  const flood = Array.from({ length: 100 }, async () => {
    await refuseWeakPassword(passphrase, owner, portalUrl)
    judged += 1
  })
  const settled = Promise.allSettled(flood)
  await refuseWeakPassword(passphrase, { email: 'ada@example.com', name: 'Ada' }, portalUrl)
  t.ok(judged < 10, `after ${judged} of the flood`)
  const [refused] = (await settled).filter(({ status }) => status === 'rejected')
  t.match(refused, { reason: { refusal: { code: 'OVERLOADED' } } })
})
