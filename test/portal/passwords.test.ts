import * as argon2 from '@node-rs/argon2'
import t from 'tap'
import { createPasswords } from '../../src/gateway/portal/accounts/passwords.ts'

t.test('a sign-in that fails for want of memory does not fail those that follow', async (t) => {
  let failures = 1
  const passwords = createPasswords({
    hash: (...given) => {
      failures -= 1
      return failures >= 0 ? Promise.reject(new Error('no memory')) : argon2.hash(...given)
    },
  })
  await t.rejects(
    passwords.compare('secret', async () => undefined),
    /no memory/,
  )
  t.same(await passwords.compare('secret', async () => undefined), {
    found: undefined,
    isRight: false,
  })
})
