import t from 'tap'
import { createFailureThrottle } from '../../src/gateway/edge/failure-throttle.ts'
import { ownWindowsMax } from '../../src/platform/fixed-windows.ts'
import { unknownClient } from '../../src/platform/http/client-address.ts'

const minuteMs = 60_000

/** A throttle of one failure a minute, and the networks that exceeded it. */
function throttle() {
  const exceeded: string[] = []
  const time = { now: 0 }
  const { count } = createFailureThrottle({
    failuresPerMinute: 1,
    monotonic: () => time.now,
    onExceeded: (address) => exceeded.push(address),
  })
  return { count, exceeded, time }
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}

t.test('a network gets the seconds until its minute ends, and is reported once', async (t) => {
  const { count, exceeded, time } = throttle()
  t.equal(count('192.0.2.1'), 0)
  time.now = minuteMs - 1_500
  t.equal(count('192.0.2.1'), 2)
  time.now = minuteMs - 1
  t.equal(count('192.0.2.1'), 1)
  t.equal(count('192.0.2.2'), 0, 'another network')
  time.now = minuteMs
  t.equal(count('192.0.2.1'), 0, 'the next minute')
  t.strictSame(exceeded, ['192.0.2.1'])
})

t.test(
  'above the number of networks that count apart, new ones share the allowance of unknown clients until windows end',
  async (t) => {
    const { count, exceeded, time } = throttle()
    const flooded = Array.from({ length: ownWindowsMax }, (_, each) => count(addressOf(each)))
    t.ok(flooded.every((wait) => wait === 0))
    t.equal(count(addressOf(0)), 60, 'a network that counts apart still does')
    time.now = minuteMs / 2
    const late = Array.from({ length: 10 }, (_, each) => count(`192.0.2.${each}`))
    t.ok(
      late.every((wait) => wait === 0),
      'ten times the allowance of a network',
    )
    t.equal(count('192.0.2.11'), 60)
    t.equal(count(unknownClient), 60)
    t.strictSame(exceeded, [addressOf(0), unknownClient])
    time.now = minuteMs
    t.equal(count('192.0.2.11'), 0, 'the windows of the flood have ended')
    t.equal(count('192.0.2.11'), 60)
    t.equal(count(unknownClient), 30)
  },
)
