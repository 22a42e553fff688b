import { existsSync, globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { unsteadyFiles } from '../unsteady.ts'

// A test proves what the product does, never how quick the machine is (CONTRIBUTING.md, "Tests").

/** What a test must not do, and what it does instead. */
const habits: readonly { readonly habit: RegExp; readonly instead: string }[] = [
  {
    habit: /import[^;]*?\b(?:setTimeout|setInterval|scheduler)\b[^;]*?'(?:node:)?timers/g,
    instead: 'sleeps: wait with until, move the clock, or let a fake answer when it is told',
  },
  {
    habit: /(?<![.\w])set(?:Timeout|Interval)\(/g,
    instead: 'has a timer of its own: wait with until, or let a fake answer when it is told',
  },
  {
    habit: /(?<!=> )\bperformance\.now\(\)|\bperformance\.(?:mark|measure)\(|\bhrtime\b/g,
    instead: 'measures time: hand the clock in, or make it a proof',
  },
  {
    habit:
      /\bDate\.now\(\) *[<>](?!=)|(?<!=)[<>] *Date\.now\(\)(?! - \d)|\bDate\.now\(\) - (?:before|begun|start|asked|from|at)\w*/g,
    instead: 'compares with the clock of the machine: hand the clock in, or use until',
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
    habit: /(?<![=(,:?]|=>)\n *(?:void )?until\(/g,
    instead: 'does not look at what it waits for: await until',
  },
]

const dayMs = 86_400_000

/** Where it cannot be otherwise, and why. At most ten. */
const exceptions: Readonly<Record<string, string>> = {
  'test/support/until.ts': 'the one waiter',
  'test/support/raw-client.ts': 'a server that neither answers nor ends the connection hangs',
  'test/support/browser.ts': 'a browser that does not answer hangs',
  'test/house/test-clock.test.ts': 'tests the waiter',
}

/** The runner bounds files and tells how long they took; the simulation has a time of its own. */
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
    'await new Promise((resolve) => setTimeout(resolve, 50))',
    'const begun = performance.now()',
    'while (Date.now() < end) await turn()',
    't.ok(Date.now() - begun < 9_000)',
    'const before = process.threadCpuUsage()',
    "await untilWithin(500, 'it answers', isUp)",
    "  t.ok(true)\n  until('it answers', isUp)",
  ]
  t.same(
    bad.filter((text) => habitsOf(text).length === 0),
    [],
  )
  const good = [
    "import { setImmediate as turn } from 'node:timers/promises'",
    't.setTimeout(120_000)',
    'monotonic: () => performance.now() + moved,',
    'expiresAt: new Date(Date.now() + 3_600_000)',
    't.ok(before <= madeAt && madeAt <= Date.now())',
    "const ended = () =>\n  until('ended', isEnded)",
  ]
  t.same(good.flatMap(habitsOf), [])
})

t.test('at most three files are known to be unsteady, each for 14 days at most', async (t) => {
  t.ok(unsteadyFiles.length <= 3, `${unsteadyFiles.length} rows`)
  const today = Math.floor(Date.now() / dayMs)
  for (const { file, cause, lastDay } of unsteadyFiles) {
    t.ok(existsSync(file), file)
    t.ok(cause.length > 20, `${file}: says its cause`)
    const left = Date.parse(lastDay) / dayMs - today
    t.ok(left >= 0 && left <= 14, `${file}: ${left} days are left`)
  }
})
