import { existsSync, globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { unsteadyFiles } from '../unsteady.ts'

// A test proves what the product does, never how quick the machine is (CONTRIBUTING.md, "Tests").

/** What a test must not do, and what it does instead. */
const habits: readonly { readonly habit: RegExp; readonly instead: string }[] = [
  {
    // Of the timers, only setImmediate waits for no time.
    habit: /(?<!import \{ setImmediate(?: as \w+)? \} )(?:from |import\()'(?:node:)?timers/g,
    instead: 'sleeps: wait with until, move the clock, or let a fake answer when it is told',
  },
  {
    habit:
      /(?<![.\w])set(?:Timeout|Interval)[()]|\b(?:AbortSignal\.timeout|Atomics\.wait|waitForTimeout)\(/g,
    instead: 'has a timer of its own: wait with until, or let a fake answer when it is told',
  },
  {
    habit:
      /(?<!=> )\bperformance\.now\(\)|\bperformance\.(?:mark|measure|timeOrigin)\b|\bhrtime\b/g,
    instead: 'measures time: hand the clock in, or make it a proof',
  },
  {
    habit: /\bDate\.now\(\) *[<>](?!=)|(?<!=)[<>] *Date\.now\(\)(?! - \d)/g,
    instead: 'compares with the clock of the machine: hand the clock in, or use until',
  },
  {
    // Days, hours and the like are taken from the clock to name an earlier time; anything else is a beginning.
    habit: /\bDate\.now\(\) - (?:[\w.]+\)* *[<>]|(?!\d|\w*(?:day|hour|minute|ms\b))\w)/gi,
    instead: 'measures time: hand the clock in, or make it a proof',
  },
  {
    habit: /\b(?:cpuUsage|threadCpuUsage|memoryUsage|resourceUsage|getHeapStatistics)\b/g,
    instead: 'measures the processor or the heap: count steps or entries, or make it a proof',
  },
  {
    habit: /\buntilWithin\b/g,
    instead: 'has a deadline of its own: use until, or make it a proof',
  },
  {
    // Where void is missing too, the lint finds it.
    habit: /\bvoid until\(/g,
    instead: 'does not look at what it waits for: await until',
  },
]

const dayMs = 86_400_000

/** Where it cannot be otherwise, and why. At most ten. */
const exceptions: Readonly<Record<string, string>> = {
  'test/support/until.ts': 'the one waiter',
  'test/support/raw-client.ts': 'a server that neither answers nor ends the connection hangs',
  'test/support/browser.ts': 'a browser that does not answer hangs',
  'test/support/probe.ts':
    'counts the bytes that V8 allocated, which a busy machine does not change',
  'test/house/test-clock.test.ts': 'tests the waiter',
}

/** The runner limits files and reports how long they took; the simulation has its own time. */
const notTests =
  /^test\/(?:run\.ts|runner\/|simulation\/|fixtures\/|screenshots\.ts|make-release\.ts|house\/steady\.test\.ts)/

/** What a text does that a test must not, as "12 sleeps: …", by line. */
function habitsOf(text: string): string[] {
  return habits.flatMap(({ habit, instead }) =>
    [...text.matchAll(habit)].map(({ index, 0: found }) => {
      const line = text.slice(0, index + found.length).split('\n').length
      return `${line} ${instead}`
    }),
  )
}

t.test('no test sleeps, measures, or looks away from what it waits for', async (t) => {
  const files = globSync('test/**/*.ts').filter((file) => !notTests.test(file))
  t.ok(files.length > 250, `${files.length} files`)
  const found = files.flatMap((file) =>
    habitsOf(readFileSync(file, 'utf8')).map((told) => ({ file, told: `${file}:${told}` })),
  )
  t.same(
    found.filter(({ file }) => !Object.hasOwn(exceptions, file)).map(({ told }) => told),
    [],
  )
  const needless = Object.keys(exceptions).filter((file) => !found.some((one) => one.file === file))
  t.same(needless, [], 'an exception that is no longer needed is taken out')
  t.ok(Object.keys(exceptions).length <= 10, 'at most ten exceptions')
})

t.test('each habit is found where a test has it, and nothing else is taken for one', async (t) => {
  const bad = [
    "import { setTimeout as delay } from 'node:timers/promises'",
    "import { setImmediate, setInterval } from 'node:timers'",
    "import * as timers from 'node:timers'",
    "import timers from 'timers/promises'",
    "const { setTimeout: delay } = await import('node:timers/promises')",
    'await new Promise((resolve) => setTimeout(resolve, 50))',
    'const delay = promisify(setTimeout)',
    'await fetch(url, { signal: AbortSignal.timeout(500) })',
    'Atomics.wait(cell, 0, 0, 50)',
    'await page.waitForTimeout(500)',
    'const begun = performance.now()',
    'const begun = performance.timeOrigin',
    'const begun = process.hrtime.bigint()',
    'while (Date.now() < end) await turn()',
    't.ok(Date.now() - begun < 9_000)',
    't.ok((Date.now() - callMs) <= 9_000)',
    'const took = Date.now() - t0',
    'const before = process.threadCpuUsage()',
    "await untilWithin(500, 'it answers', isUp)",
    "void until('it answers', isUp)",
  ]
  t.same(
    bad.filter((text) => habitsOf(text).length === 0),
    [],
  )
  const good = [
    "import { setImmediate } from 'node:timers/promises'",
    "import { setImmediate as turn } from 'node:timers/promises'",
    "mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })",
    't.setTimeout(120_000)',
    'monotonic: () => performance.now() + moved,',
    'expiresAt: new Date(Date.now() + 3_600_000)',
    'validFrom: Date.now() - day, at: new Date(Date.now() - 2 * hourMs)',
    'const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)',
    't.ok(before <= madeAt && madeAt <= Date.now())',
  ]
  t.same(good.flatMap(habitsOf), [])
})

t.test('at most three files are known to be unsteady, each for 14 days at most', async (t) => {
  t.ok(unsteadyFiles.length <= 3, `${unsteadyFiles.length} rows`)
  const today = Math.floor(Date.now() / dayMs)
  for (const { file, cause, since } of unsteadyFiles) {
    t.ok(existsSync(file), file)
    t.ok(cause.length > 20, `${file}: says its cause`)
    const days = today - Date.parse(since) / dayMs
    t.ok(days >= 0 && days <= 14, `${file}: a row for ${days} days`)
  }
})
