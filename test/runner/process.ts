import { on } from 'node:events'
import { rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { changedSince, leftOpenSince, lookAtEnvironment, lookAtOpen } from './left-open.ts'
import type { Answer, Failure, FileResult, Order, RunOrder, Skip } from './messages.ts'

// A program that runs the files of tests that its parent names, one after the other. Most files take longer to load and
// warm up the same code than to run their tests, so one process runs many. Its argument is the folder of the run.

const root = process.cwd()
const [, , folder = ''] = process.argv

/** The test that stands for a file, by the URL of the file. */
const tests = new Map<string, Test>()

/** What a file of tests gets when it imports tap. @throws when this process has not begun the file */
export function testOf(url: string): Test {
  const found = tests.get(url)
  if (found === undefined) throw new Error(`this process does not run ${url}`)
  return found
}

const scheme = 'tap-of:'

// With its own test, a file ends what it started when it ends, not when the process ends.
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    if (specifier !== 'tap' || !tests.has(parentURL)) return next(specifier, context)
    return { url: scheme + parentURL, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    if (!url.startsWith(scheme)) return next(url, context)
    const of = JSON.stringify(url.slice(scheme.length))
    const source = `import { testOf } from ${JSON.stringify(import.meta.url)}
      export default testOf(${of})`
    return { format: 'module', source, shortCircuit: true }
  },
})

/** Whether the parent may name another file. */
let hasMore = true

/** What code of a file threw after its tests had ended, or outside of them. */
let thrown: unknown[] = []
process.on('uncaughtExceptionMonitor', (error) => thrown.push(error))
process.on('unhandledRejection', (reason) => thrown.push(reason))

// A parent that was killed cannot end what tests have started.
process.once('disconnect', () => {
  if (!hasMore) return
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } finally {
    process.kill(-process.pid, 'SIGKILL')
  }
})

// In a test that lasts until the parent has no more files: without one, tap ends when it has nothing to do for a moment,
// and takes no further test.
t.setTimeout(0)
t.test('files', async (files) => {
  // Tap hands over here what belongs to no running test: an assertion that fails after the tests of its file.
  files.threw = (error) => void thrown.push(error)
  for await (const [order] of on(process, 'message')) {
    // Only the parent sends messages.
    const asked = order as Order
    if ('end' in asked) break
    const answer: Answer = { ended: await run(asked, files) }
    process.send?.(answer)
  }
  hasMore = false
  process.disconnect?.()
})
// Tap releases it, and between two files nothing else keeps this process alive.
process.channel?.ref()

async function run({ run: file, seconds }: RunOrder, files: Test): Promise<FileResult> {
  const begun = performance.now()
  const before = lookAtOpen()
  const environment = lookAtEnvironment()
  const failedBefore = files.lists.fail.length
  const { href } = pathToFileURL(join(root, file))
  const whole = files.test(file, { timeout: seconds * 1000 }, async (t) => {
    tests.set(href, t)
    await import(href)
  })
  const { subtest } = whole
  if (subtest === null) throw new Error(`tap did not begin ${file}`)
  await whole
  const failures = files.lists.fail.slice(failedBefore).map((each) => failureOf(each, file))
  const hasTimedOut = failures.some(({ title }) => title.endsWith('timeout!'))
  const left = hasTimedOut ? [] : await leftOpenSince(before)
  if (left.length > 0)
    failures.push({
      title: 'the file ends what it started',
      detail: `left open: ${left.join(', ')}`,
    })
  const changed = changedSince(environment)
  if (changed.length > 0)
    failures.push({
      title: 'the file puts back what it changed',
      detail: `changed: ${changed.join(', ')}`,
    })
  // Tap and the process both report what is thrown.
  const late = [...new Set(thrown)]
  thrown = []
  if (late.length > 0)
    failures.push({
      title: 'nothing fails or is thrown outside of a test',
      detail: late.map((error) => inspect(error)).join('\n'),
    })
  const { counts, lists } = subtest
  if (counts.total === 0) failures.push({ title: 'the file has a test', detail: '' })
  return {
    file,
    seconds: (performance.now() - begun) / 1000,
    passed: counts.pass,
    failures,
    skips: [...lists.skip, ...lists.todo].map((each) => skipOf(each, file)),
    isSpent: hasTimedOut || left.length + changed.length + late.length > 0,
  }
}

/** As tap describes an assertion. */
type Described = Test['lists']['fail'][number]

function failureOf({ fullname, name, diag, tapError }: Described, file: string): Failure {
  const { at, diff, stack, ...rest } = diag ?? {}
  const { fileName, lineNumber, columnNumber } = at ?? {}
  const others = Object.entries(rest)
    .filter(([key]) => !['source', 'compare', 'tapCaught', 'signal'].includes(key))
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return {
    title: titleOf(fullname, name, file),
    ...(fileName === undefined
      ? {}
      : { place: `${placeOf(fileName)}:${lineNumber}:${columnNumber}` }),
    detail: [tapError, diff, ...others, stack]
      .filter((part) => part)
      .join('\n')
      .trimEnd(),
  }
}

function skipOf({ fullname, name, skip, todo }: Described, file: string): Skip {
  const reason = [skip, todo].find((each) => typeof each === 'string') ?? ''
  return { title: titleOf(fullname, name, file), reason: String(reason) }
}

/** Tap puts the name of every test around it before the name of an assertion. */
function titleOf(fullname: string, name: string, file: string): string {
  const at = fullname.indexOf(file)
  const inside = at < 0 ? fullname : fullname.slice(at + file.length)
  return [inside.replace(/^[\s>]+/, ''), name].filter((part) => part !== '').join(' › ')
}

function placeOf(fileName: string): string {
  const path = fileName.startsWith('file:') ? fileURLToPath(fileName) : fileName
  return path.startsWith('/') ? relative(root, path) : path
}
