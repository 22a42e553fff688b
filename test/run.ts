import { execFile } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type EndedFile, openPool, type Pool } from './runner/pool.ts'
import { endedLines, failureLines, skipLines } from './runner/report.ts'
import { unsteadyFiles } from './unsteady.ts'

// A program, `npm test`: types, lint, documents and all files of tests. With names of files it runs only those, and with
// --checks no file.
//
// With REQUIRE_SERVICES=1 a test that was skipped fails the run: a caller that sets it relies on all of them.
//
// A file that fails runs once more, alone, after all others. If it passes then, it is unsteady: the closing lines name
// it, and a few of them do not fail the run. With --apart, as proofs run, each file has its own process and hour,
// and only one run.

const { values, positionals } = parseArgs({
  options: {
    apart: { type: 'boolean', default: false },
    checks: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

/** A run with more unsteady files has failed. */
const unsteadyMax = 3
/** How often the log names a file that is still running, so that the log of a killed run shows where it was. */
const longSeconds = 60

/** Scripts of package.json. */
const checks = ['check:types', 'check:lint', 'check:documents']

/** For each of them. One that takes longer hangs. */
const checkSeconds = 300
const fileSeconds = values.apart ? 3600 : Number(process.env['RUNNER_FILE_SECONDS'] ?? 240)
const size = Math.min(availableParallelism(), 4)
const folder = mkdtempSync(join(roomyRoot(), 'tests-'))
// Servers that refuse to run as root run as others, in folders of their own in it.
chmodSync(folder, 0o711)
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

// A process finds here what an earlier one compiled.
process.env['NODE_COMPILE_CACHE'] ??= resolve('dist', 'compiled')

/** The last result of each file. */
const results = new Map<string, EndedFile>()
/** The processes that run now. */
let pool: Pool | undefined
/** Ends the scripts that run now. */
const ending = new AbortController()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
nameLongFiles()

const files = positionals.length > 0 || values.checks ? [...new Set(positionals)] : longestFirst()
// Tests need the page that `build` makes.
const failedChecks =
  positionals.length > 0 ? [] : await runScripts(values.checks ? checks : ['build', ...checks])
await run(files, size, values.apart)
const failedOnce = values.apart ? [] : failedResults()
if (failedOnce.length > 0) print(`\nOnce more, alone: ${failedOnce.length}\n`)
await run(
  failedOnce.map(({ file }) => file),
  1,
  true,
)
conclude()

async function run(files: readonly string[], size: number, isApart: boolean): Promise<void> {
  pool = openPool({
    size,
    isApart,
    folder,
    fileSeconds,
    onEnd(ended) {
      print(endedLines(ended))
      results.set(ended.file, ended)
    },
  })
  await pool.run(files)
}

/** @returns those that failed */
async function runScripts(scripts: readonly string[]): Promise<string[]> {
  const queue = [...scripts]
  const failed: string[] = []
  async function takeFrom(): Promise<void> {
    for (let script = queue.shift(); script !== undefined; script = queue.shift()) {
      const begun = performance.now()
      const failure = await runScript(script)
      const seconds = ((performance.now() - begun) / 1000).toFixed(1).padStart(6)
      print(`${seconds} s  npm run ${script}  ${failure === undefined ? 'passed' : 'FAILED'}\n`)
      if (failure === undefined) continue
      print(failure)
      failed.push(script)
    }
  }
  await Promise.all(Array.from({ length: size }, takeFrom))
  return failed
}

/** @returns what it wrote, when it failed */
async function runScript(script: string): Promise<string | undefined> {
  try {
    await promisify(execFile)('npm', ['run', script], {
      maxBuffer: 100_000_000,
      timeout: checkSeconds * 1000,
      signal: ending.signal,
    })
    return undefined
  } catch (error) {
    // What execFile adds to its error.
    const { stdout = '', killed, message } = error as Error & { stdout?: string; killed?: boolean }
    // The message has what it wrote to standard error.
    return `${stdout}${message}\n${killed ? `ended after ${checkSeconds} s\n` : ''}`
  }
}

function failedResults(): EndedFile[] {
  return [...results.values()].filter(({ failures }) => failures.length > 0)
}

function conclude(): void {
  const all = [...results.values()]
  const failed = failedResults()
  const unsteady = failedOnce.filter(({ file }) => failed.every((each) => each.file !== file))
  const isTooUnsteady = unsteady.length > unsteadyMax
  const skipped = sum(all.map(({ skips }) => skips.length))
  const areSkipsFailures = process.env['REQUIRE_SERVICES'] === '1'
  print(skipLines(all))
  if (areSkipsFailures && skipped > 0) print('With REQUIRE_SERVICES=1 these have failed.\n')
  if (failed.length + failedChecks.length > 0) print('\nFailed:\n')
  for (const each of failed) print(`${each.file}\n${failureLines(each)}`)
  for (const script of failedChecks) print(`npm run ${script} (its errors are above)\n`)
  if (unsteady.length > 0)
    print(`\nUnsteady, failed at first and passed alone: ${unsteady.length}\n`)
  for (const each of unsteady) {
    const known = unsteadyFiles.find((row) => row.file === each.file)
    const told = known === undefined ? 'new: find its cause' : `known: ${known.cause}`
    print(`  ${each.file} (${told})\n${failureLines(each)}`)
  }
  if (isTooUnsteady) print(`A run with more than ${unsteadyMax} unsteady files has failed.\n`)
  const passed = sum(all.map(({ passed }) => passed))
  const failures = sum(all.map(({ failures }) => failures.length))
  const failedCount =
    failures +
    failedChecks.length +
    (isTooUnsteady ? unsteady.length : 0) +
    (areSkipsFailures ? skipped : 0)
  print(`\n${all.length} files in ${(performance.now() / 60_000).toFixed(1)} min\n`)
  print(`${passed} passed, ${failedCount} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  // A run that found no file has shown nothing.
  const isEmpty = all.length === 0 && !values.checks
  if (isEmpty) print('There are no test files.\n')
  process.exitCode = failedCount > 0 || isEmpty ? 1 : 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function stop(signal: NodeJS.Signals): void {
  const files = pool?.running() ?? []
  print(`\nEnded by ${signal} after ${results.size} files. Running were:\n`)
  for (const { file, seconds } of files) print(`  ${file}, for ${seconds.toFixed(0)} s\n`)
  pool?.kill()
  ending.abort()
  process.exit(1)
}

function nameLongFiles(): void {
  const intervalMs = 1000
  setInterval(() => {
    for (const { file, seconds } of pool?.running() ?? [])
      if (seconds % longSeconds < intervalMs / 1000 && seconds > longSeconds)
        print(`  still running after ${seconds.toFixed(0)} s: ${file}\n`)
  }, intervalMs).unref()
}

/** Size is a fair guess of duration: a long file at the end would leave the other processes idle. */
function longestFirst(): string[] {
  const files = globSync('test/**/*.test.ts', { exclude: ['test/fixtures/**'] })
  const bytes = new Map(files.map((file) => [file, statSync(file).size]))
  return files.sort((a, b) => (bytes.get(b) ?? 0) - (bytes.get(a) ?? 0))
}

/** Memory, if the machine has enough: tests copy hundreds of databases. */
function roomyRoot(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= 4 * 2 ** 30 ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

function print(text: string): void {
  process.stdout.write(text)
}
