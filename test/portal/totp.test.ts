import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { createTotp } from '../../src/portal/accounts/totp.ts'
import { testKeyring } from '../support/keyring.ts'

t.test('what is no six digits is a wrong code, in any script', async (t) => {
  const now = Date.UTC(2026, 0, 1)
  const totp = createTotp({
    key: testKeyring(0),
    brandName: () => 'A: B',
    portalUrl: () => 'http://localhost:8081',
    now: () => now,
  })
  const { sealed, secret, uri } = totp.create({
    developerId: 'ada',
    email: 'ada@example.com',
    language: 'en',
  })
  t.match(uri, 'totp/A%20%20B%20localhost:ada%40example.com?', 'one colon, after the issuer')
  const right = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })
  t.equal(totp.stepOf('ada', sealed, right), now / 30_000)
  const fullWidth = right.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
  for (const code of [fullWidth, '', `${right}0`, `+${right.slice(1)}`, '\u{1f511}'.repeat(3)]) {
    t.equal(totp.stepOf('ada', sealed, code), undefined, code)
  }
})
