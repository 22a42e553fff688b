import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { until } from '../support/until.ts'

// What `npm test` reports, tried on files that are made to fail.

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Run {
  readonly code: number | null
  readonly output: string
  /** A folder in which the files of the run leave marks. */
  readonly marks: string
}

t.jobs = 4

t.test('a run with failures fails, and its last lines show each', async (t) => {
  const names = ['fails', 'leaves-a-server', 'dies', 'unsteady-1', 'skips', 'passes']
  const { code, output } = await run(t, names)
  t.equal(code, 1)
  const lastLines = output.trimEnd().split('\n').slice(-40).join('\n')
  t.match(lastLines, /not ok {2}the 101st call is refused .*the answer/, 'which assertion failed')
  t.match(lastLines, /at test\/fixtures\/runner\/fails\.ts:4:5/, 'where')
  t.match(lastLines, /- {2}"status": 429,\n.*\+ {2}"status": 200,/, 'the difference')
  t.match(lastLines, /left open: 1 × TCPServerWrap/, 'what a file left open')
  t.match(lastLines, /its process ended with SIGKILL/, 'that a process died')
  t.match(output, /last words/, 'what it wrote before')
  t.match(lastLines, /Unsteady.*: 1\n {2}test\/fixtures\/runner\/unsteady-1\.ts/)
  t.match(lastLines, /redis-server is not installed: test\/fixtures\/runner\/skips\.ts/)
  t.match(lastLines, /\n3 passed, 3 failed, 1 skipped$/)
  t.match(
    output,
    / s {2}test\/fixtures\/runner\/passes\.ts {2}1 passed\n/,
    'one line for a file that passes',
  )
})

t.test(
  'a file that fails only at first is named as unsteady and does not fail the run',
  async (t) => {
    const { code, output } = await run(t, ['unsteady-1', 'passes'])
    t.equal(code, 0)
    t.match(
      output,
      /Unsteady, failed at first and passed alone: 1\n {2}test\/fixtures\/runner\/unsteady-1\.ts/,
    )
    t.match(
      output,
      /not ok {2}passes the second time[\s\S]*\n2 passed, 0 failed\n$/,
      'how it failed',
    )
  },
)

t.test('more than three unsteady files fail the run', async (t) => {
  const { code, output } = await run(t, ['unsteady-1', 'unsteady-2', 'unsteady-3', 'unsteady-4'])
  t.equal(code, 1)
  t.match(output, /passed alone: 4\n/)
  t.match(output, /\n4 passed, 4 failed\n$/)
})

t.test('what is thrown after the tests of a file fails that file, and no other', async (t) => {
  const late = ['throws-late', 'rejects-late', 'fails-late', 'undo-rejects']
  const { code, output } = await run(t, [...late, 'passes', 'passes-too'])
  t.equal(code, 1)
  t.match(output, /throws-late\.ts\n {6}Error: broken later/)
  t.match(output, /rejects-late\.ts\n {6}Error: rejected later/)
  t.match(output, /fails-late\.ts\n {6}Error: test assertion after Promise resolution/)
  t.match(output, /undo-rejects\.ts\n {6}Error: not undone/)
  t.match(output, /s {2}test\/fixtures\/runner\/passes\.ts {2}1 passed\n/)
  t.match(output, /s {2}test\/fixtures\/runner\/passes-too\.ts {2}1 passed\n/)
})

t.test('a late failure of the last file of a process fails that file', async (t) => {
  const { code, output } = await run(t, ['fails-late'])
  t.equal(code, 1)
  t.match(output, /\n1 passed, 1 failed\n$/)
})

t.test('a file whose time is over has failed, and the next one has its own process', async (t) => {
  const { code, output } = await run(t, ['waits-for-ever', 'passes'], { seconds: 2 })
  t.equal(code, 1)
  t.match(output, /not ok {2}an answer comes > timeout!/)
  t.notMatch(output, 'left open')
  t.match(output, /\n1 passed, 1 failed\n$/)
})

t.test('a run that is ended names the files that were running', async (t) => {
  const { code, output } = await run(t, ['hangs'], { signal: 'SIGTERM' })
  t.equal(code, 1)
  t.match(output, /Running were:\n {2}test\/fixtures\/runner\/hangs\.ts, for \d+ s\n/)
})

t.test('a file that changes the environment of the next one has failed', async (t) => {
  const { code, output } = await run(t, ['changes-folder'])
  t.equal(code, 1)
  t.match(output, /not ok {2}the file puts back what it changed/)
  t.match(output, /changed: the current folder, MARK\n/)
  t.match(output, /\n1 passed, 1 failed\n$/)
})

t.test('a run that is killed leaves no process and no folder behind', async (t) => {
  const { marks } = await run(t, ['hangs'], { signal: 'SIGKILL' })
  const { pid, folder } = JSON.parse(readFileSync(`${marks}/begun`, 'utf8'))
  await until('its folder is gone', () => !existsSync(folder))
  await until('its process has ended', () => !isRunning(pid))
})

t.test('with REQUIRE_SERVICES=1 a test that is skipped fails the run', async (t) => {
  const { code, output } = await run(t, ['skips', 'passes'], { requireServices: '1' })
  t.equal(code, 1)
  t.match(output, /redis-server is not installed: test\/fixtures\/runner\/skips\.ts/)
  t.match(output, /\n1 passed, 1 failed, 1 skipped\n$/)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface RunOptions {
  /** Sent when a file has begun. */
  readonly signal?: NodeJS.Signals
  /** Duration of each file. */
  readonly seconds?: number
  readonly requireServices?: '0' | '1'
}

async function run(
  t: Test,
  names: readonly string[],
  { signal, seconds = 240, requireServices = '0' }: RunOptions = {},
): Promise<Run> {
  const marks = mkdtempSync(join(tmpdir(), 'marks-'))
  t.teardown(() => rmSync(marks, { recursive: true, force: true }))
  const files = names.map((name) => `test/fixtures/runner/${name}.ts`)
  const child = spawn(process.execPath, ['test/run.ts', ...files], {
    cwd: root,
    env: {
      ...process.env,
      RUNNER_MARKS: marks,
      RUNNER_SETTLE_MS: '1000',
      RUNNER_FILE_SECONDS: String(seconds),
      REQUIRE_SERVICES: requireServices,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const closed = once(child, 'close')
  if (signal !== undefined) {
    await until('the file begins', () => existsSync(`${marks}/begun`))
    child.kill(signal)
  }
  const [code] = await closed
  return { code, output, marks }
}
