import { globSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { startFromSmallProcess } from './small-parent.ts'

// Most test files take longer to load and warm up the same code than to run their tests. So a few processes run all
// files: each takes the next file that no other process has taken, until none is left.

const root = fileURLToPath(new URL('..', import.meta.url))

/** For each file. Its tests have limits of their own. */
const fileTimeoutMs: Readonly<Record<Suite, number>> = { short: 240_000, long: 900_000 }

/** The test that stands for a file, by the URL of the file. */
const tests = new Map<string, Test>()

/** What a test file gets when it imports tap. @throws when this process has not begun the file */
export function testOf(url: string): Test {
  const found = tests.get(url)
  if (found === undefined) throw new Error(`this process does not run ${url}`)
  return found
}

const scheme = 'tap-of:'

// With a test of its own, a file ends what it started when it ends, not when the process ends.
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

/** The short tests, or the long ones. */
export type Suite = 'short' | 'long'

/** Runs test files of a suite that no process with the same folder has taken. */
export async function runTogether(suite: Suite, folder: string): Promise<void> {
  if (suite === 'short') startFromSmallProcess(mkdtempSync(join(folder, 'small-')))
  for (const file of longestFirst(suite)) {
    if (!take(join(folder, file.replaceAll('/', '-')))) continue
    const begun = performance.now()
    if (suite === 'long') await runApart(file)
    else await runHere(file)
    // Tap prints results only when the process has ended.
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    process.stderr.write(`${seconds.padStart(6)} s  ${file}\n`)
  }
  // After the last handlers of tap, and without Node's own clean-up, which a handle that a test lost can hold for ever.
  process.once('exit', (code) => process.exit(code))
}

/** Warm code saves a short test most of its time. */
async function runHere(file: string): Promise<void> {
  const { href } = pathToFileURL(join(root, file))
  const results = await t.test(file, { timeout: fileTimeoutMs.short }, async (t) => {
    tests.set(href, t)
    await import(href)
  })
  if (results?.count === 0) t.fail(`${file} has no test`)
}

/** A long test measures memory and processor time, and gains little. */
async function runApart(file: string): Promise<void> {
  const options = { cwd: root, timeout: fileTimeoutMs.long }
  await t.spawn(process.execPath, [join(root, file)], options, file)
}

/** Whose size does not tell how long they take, the longest first. */
const longestTests = [
  'package',
  'portal-pages',
  'workers',
  'launcher',
  'recover',
  'attacks',
  'rolling-restart',
  'slow-clients',
].map((name) => `test/long/${name}.test.ts`)

/** For the others, size is a fair guess of duration: a long file at the end would leave the other processes idle. */
function longestFirst(suite: Suite): string[] {
  const files =
    suite === 'long'
      ? globSync('test/long/*.test.ts', { cwd: root })
      : globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/long/**'] })
  const bytes = new Map(files.map((file) => [file, statSync(join(root, file)).size]))
  const bySize = files.sort((a, b) => (bytes.get(b) ?? 0) - (bytes.get(a) ?? 0))
  return [...new Set([...longestTests.filter((file) => bytes.has(file)), ...bySize])]
}

/** Whether this process is the first to claim a name. */
function take(claim: string): boolean {
  try {
    mkdirSync(claim)
    return true
  } catch {
    return false
  }
}
