import t from 'tap'
import { createRecoveryCodes, recoveryCodeHash } from '../../src/portal/accounts/recovery-codes.ts'

t.test('a recovery code has 120 bits, and one of 80 bits from before still works', async (t) => {
  const { codes, hashes } = createRecoveryCodes()
  t.equal(new Set(codes).size, 10)
  for (const [at, code] of codes.entries()) {
    t.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
    t.same(recoveryCodeHash(code), hashes[at])
  }
  t.ok(recoveryCodeHash('k7qm-2xvd-9rht-wb4n'))
  t.equal(recoveryCodeHash('k7qm-2xvd-9rht-wb4'), undefined)
})
