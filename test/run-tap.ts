import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Suite } from './together.ts'

// A program: `tap run` with these arguments, where it is quick. The tests copy some
// hundred databases and start as many processes: on a disk they wait for it half of
// the time, and every process would strip and compile the same modules again. With the
// argument `short` or `long` it runs that suite, in a few processes.

/**
 * With three, two cores stay busy while a test waits: the short tests take a tenth less time than with two. Four are no
 * faster, and on a slow machine they delay programs that must not wait (2026-11-28).
 */
const processes = 3
/**
 * The processes of the short tests run most of their code only a few times: TurboFan costs a tenth of their processor
 * time, more than it saves (2026-11-28). Programs that they start have it as always.
 */
const shortArgs = ['--node-arg=--no-turbofan']
/** Each file has a timeout of its own. */
const partSecondsMax = 1800

/** Compiled code for all suites; `test:faults` of package.json names it, too. */
const compileCache = resolve('dist', 'compiled')

const folder = mkdtempSync(join(roomyRoot(), 'tg-run-'))
// Servers that refuse to run as root run as others, in folders of their own in it.
chmodSync(folder, 0o711)
/** In the project: tap keeps the results of a file by its path from here, which must not lead out. */
const parts = mkdtempSync('.parts-')
const given = process.argv.slice(2)
const [suite] = given
// Temporary folders have other names each time, so it would grow with every run.
if (suite === 'short') rmSync(compileCache, { recursive: true, force: true })
const args = suite === 'short' || suite === 'long' ? together(suite) : given
const child = spawn('tap', ['run', ...args], {
  stdio: 'inherit',
  env: { ...process.env, TMPDIR: folder, NODE_COMPILE_CACHE: compileCache },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => child.kill(signal))
}
child.once('error', (error) => {
  process.stderr.write(`cannot start tap: ${error.message}\n`)
  process.exitCode = 1
})
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
process.once('exit', () => {
  for (const each of [folder, parts]) rmSync(each, { recursive: true, force: true, maxRetries: 5 })
})

/** Files that each run a part of the tests. */
function together(suite: Suite): string[] {
  const source = `import { runTogether } from ${JSON.stringify(import.meta.resolve('./together.ts'))}
await runTogether(${JSON.stringify(suite)}, ${JSON.stringify(folder)})\n`
  const files = Array.from({ length: processes }, (_, index) => {
    const file = join(parts, `part-${index + 1}.test.mjs`)
    writeFileSync(file, source)
    return file
  })
  return [...(suite === 'short' ? shortArgs : []), `--timeout=${partSecondsMax}`, ...files]
}

/** Memory, where the machine gives away so much of it. */
function roomyRoot(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= 4 * 2 ** 30 ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
