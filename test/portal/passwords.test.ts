import t from 'tap'
import { hashPassword } from '../../src/portal/accounts/argon2.ts'
import { createPasswords } from '../../src/portal/accounts/passwords.ts'

const turn = { lanes: [], isPreferred: false }

t.test('a sign-in that fails for want of memory does not fail those that follow', async (t) => {
  let failures = 1
  const passwords = createPasswords({
    hash: (password) => {
      failures -= 1
      return failures >= 0 ? Promise.reject(new Error('no memory')) : hashPassword(password)
    },
  })
  await t.rejects(
    passwords.compare('secret', async () => undefined, turn),
    /no memory/,
  )
  t.same(await passwords.compare('secret', async () => undefined, turn), {
    found: undefined,
    isRight: false,
  })
})

t.test('one link used a hundred times at once does not delay other developers', async (t) => {
  const begun: string[] = []
  const passwords = createPasswords({
    workers: 1,
    waitingMax: 8,
    hash: async (password) => {
      begun.push(String(password))
      return hashPassword(password)
    },
  })
  const flood = Array.from({ length: 100 }, () => passwords.hash('flood', 'mallory@example.com'))
  const others = ['ada', 'grace', 'edsger'].map((name) =>
    passwords.hash(name, `${name}@example.com`),
  )
  const refused = (await Promise.allSettled(flood)).filter(({ status }) => status === 'rejected')
  t.match(refused[0], { reason: { refusal: { code: 'OVERLOADED' } } })
  t.equal((await Promise.all(others)).length, 3)
  t.ok(begun.indexOf('edsger') <= 5, begun.join(' '))
})

t.test('a hash that another library made counts', async (t) => {
  const passwordHash =
    '$argon2id$v=19$m=19456,t=2,p=1$vmhSH+tkkYpC2EN5hWxxGw$g83+Mpj+bOGq1xLVT11QSeelBmVcCcpNr9ZR7nyCIcg'
  const passwords = createPasswords()
  const isRight = async (password: string) =>
    (await passwords.compare(password, async () => ({ passwordHash }), turn)).isRight
  t.equal(await isRight('correct horse é battery'), true)
  t.equal(await isRight('correct horse e battery'), false)
})

t.test('a password counts as typed, up to its 256th character', async (t) => {
  const passwords = createPasswords()
  const password = ` ${'Quiet lamp under nine oaks '.repeat(9)}ünd 💡 `.padEnd(256, 'x')
  const found = { passwordHash: await passwords.hash(password, 'ada@example.com') }
  const isRight = async (typed: string) =>
    (await passwords.compare(typed, async () => found, turn)).isRight
  t.equal(await isRight(password), true)
  for (const other of [
    password.trim(),
    password.toLowerCase(),
    password.slice(0, -1),
    `${password.slice(0, -1)}y`,
  ]) {
    t.equal(await isRight(other), false, other)
  }
})
