import { randomBytes } from 'node:crypto'
import t from 'tap'
import { generateKey, parseKey } from '../../src/registry/keys/key-format.ts'
import { keyMac, parsePeppers } from '../../src/registry/keys/key-mac.ts'

t.test('a key has its fixed layout and is read back', async (t) => {
  const ids = new Set<string>()
  for (let index = 0; index < 1000; index++) {
    const key = generateKey(randomBytes)
    t.match(key.text, /^tg_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/)
    t.same(parseKey(key.text), key)
    ids.add(key.id)
  }
  t.equal(ids.size, 1000)
})

t.test('a known key keeps its checksum', async (t) => {
  // CRC-32 of "tg_000000000000_" + 43 zeros is 0x580330D9, as Python's zlib computes it.
  const key = generateKey((size) => Buffer.alloc(size))
  t.equal(key.text.slice(0, 59), `tg_000000000000_${'0'.repeat(43)}`)
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const value = [...key.text.slice(59)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  t.equal(value, 0x580330d9)
})

t.test('every single wrong character, every swap and every cut is noticed', async (t) => {
  const { text } = generateKey(randomBytes)
  for (let place = 0; place < text.length; place++) {
    for (const other of ['0', 'a', '-', ' ', 'é', '\0']) {
      const wrong = text.slice(0, place) + other + text.slice(place + 1)
      if (wrong !== text) t.equal(parseKey(wrong), undefined, `${place} ${other}`)
    }
    const swapped =
      text.slice(0, place) + text.charAt(place + 1) + text.charAt(place) + text.slice(place + 2)
    if (swapped !== text) t.equal(parseKey(swapped), undefined, `swap ${place}`)
    t.equal(parseKey(text.slice(0, place)), undefined)
  }
  for (const wrong of [
    '',
    ` ${text}`,
    `${text} `,
    `${text}\n`,
    text.toUpperCase(),
    'x'.repeat(10_240),
  ]) {
    t.equal(parseKey(wrong), undefined)
  }
})

t.test('characters are drawn uniformly', async (t) => {
  const counts = new Map<string, number>()
  for (let index = 0; index < 4000; index++) {
    for (const character of generateKey(randomBytes).text.slice(16, 59)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  const expected = (4000 * 43) / 62
  let chiSquare = 0
  for (const count of counts.values()) chiSquare += (count - expected) ** 2 / expected
  t.equal(counts.size, 62)
  // 61 degrees of freedom: above 130 once in a million runs; a bias of "% 62" alone gives over 1,000.
  t.ok(chiSquare < 130, `chi-square ${chiSquare}`)
})

t.test('a pepper is one secret or several with versions, the newest first', async (t) => {
  const one = 'a'.repeat(32)
  const two = `b:${'b'.repeat(32)}`
  t.same(parsePeppers(one), { current: 1, secrets: new Map([[1, one]]) })
  t.same(parsePeppers(`2:${two}, 1:${one}`), {
    current: 2,
    secrets: new Map([
      [2, two],
      [1, one],
    ]),
  })
  for (const wrong of [
    '',
    'short',
    `2:${one},2:${one}`,
    `${one},${one}`,
    `2:${one},1:short`,
    `${one},`,
  ]) {
    t.throws(() => parsePeppers(wrong), { name: 'PepperInvalid' })
  }
  try {
    parsePeppers('2:hunter2hunter2')
    t.fail('a short secret is refused')
  } catch (error) {
    t.notOk(String(error).includes('hunter2'), 'and not repeated')
  }
})

t.test('the MAC depends on the version and on every part of the key', async (t) => {
  const peppers = parsePeppers(`2:${'x'.repeat(32)},1:${'y'.repeat(32)}`)
  const macs = [
    keyMac(peppers, 1, 'tg_a'),
    keyMac(peppers, 2, 'tg_a'),
    keyMac(peppers, 2, 'tg_b'),
  ].map((mac) => mac?.toString('hex'))
  t.equal(new Set(macs).size, 3)
  t.equal(keyMac(peppers, 3, 'tg_a'), undefined)
})
