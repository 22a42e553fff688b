import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killGroup } from '../test/runner/kill-group.ts'
import { changedSince, guardsChanged } from './changed.ts'
import { ProveError, type Request, readRequest } from './request.ts'
import { addRun, lastRuns, type ProofRun } from './runs.ts'
import { proofs } from './table.ts'

// A program, `npm run prove`: lists the proofs, or runs some of them one after the other, each alone on the machine. Each
// run adds a line to proofs/runs.md, except a run with arguments of the proof's own, which may be any part of it.

const root = fileURLToPath(new URL('..', import.meta.url))

/** The proof that runs. */
let running: ChildProcess | undefined
/** The signal that this run got. */
let ending: NodeJS.Signals | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    ending = signal
    running?.kill(signal)
  })

// The reader of the output may stop reading: the proof continues, and its line is added.
process.stdout.on('error', () => undefined)

try {
  const request = readRequest(process.argv.slice(2), Object.keys(proofs))
  const names = namesOf(request)
  if (names === undefined) list()
  else {
    // Portals serve the page that it makes.
    execFileSync(process.execPath, ['bin/tollgate.js', 'build'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    for (const name of names) await prove(name, request)
  }
} catch (error) {
  if (!(error instanceof ProveError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

/** @returns undefined: it only asks which there are */
function namesOf({ names, changedSince: revision }: Request): readonly string[] | undefined {
  if (revision === undefined) return names.length > 0 ? names : undefined
  const changed = changedSince(revision, root)
  const guarding = Object.entries(proofs)
    .filter(([, proof]) => guardsChanged(proof, changed))
    .map(([name]) => name)
  print(
    `${changed.length} files changed since ${revision}; they are guarded by ${guarding.length} proofs:`,
  )
  print(`  ${guarding.join(' ')}\n`)
  return guarding
}

function list(): void {
  const runs = lastRuns(root)
  const longest = Math.max(...Object.keys(proofs).map(({ length }) => length))
  const lines = Object.entries(proofs).flatMap(([name, { shows }]) => [
    `${name.padEnd(longest)}  ${shows}`,
    `${''.padEnd(longest)}  ${textOf(runs.get(name))}`,
  ])
  print(`npm run prove -- NAME…          runs these, or their share where they have one
npm run prove -- NAME… --whole  runs them in full
npm run prove -- --changed REV  runs those that guard what changed since REV
npm run prove -- all            runs all

${lines.join('\n')}`)
}

function textOf(run: ProofRun | undefined): string {
  if (run === undefined) return 'no run is recorded'
  return `${run.result} ${run.date}, ${run.size}, in ${run.time}`
}

async function prove(name: string, { seed, isWhole, args }: Request): Promise<void> {
  const proof = proofs[name]
  if (proof === undefined) throw new Error(`no proof ${name}`)
  if (args.length > 0 && !proof.isProgram)
    throw new ProveError(
      `The proof "${name}" takes no arguments of its own, so not ${args.join(' ')}.`,
    )
  // Arguments of its own say which part, so that nothing else may leave out another.
  const isFull = isWhole || args.length > 0 || !proof.hasShare
  print(`\n${name}: ${proof.shows} (${isFull ? 'whole' : 'a share'}, seed ${seed})`)
  const folder = mkdtempSync(join(tmpdir(), 'proof-'))
  const tried = commit()
  const begunAt = performance.now()
  const ended = await run([...proof.command({ seed, isWhole: isFull }), ...args], {
    ...process.env,
    PROOF: isFull ? 'whole' : 'share',
    SEED: seed,
    // A proof that was skipped shows nothing.
    REQUIRE_SERVICES: '1',
    PROOF_FIGURES: join(folder, 'figures'),
  })
  const seconds = Math.round((performance.now() - begunAt) / 1000)
  const told = join(folder, 'figures')
  const figures = existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [ended.tally]
  rmSync(folder, { recursive: true })
  if (ending !== undefined) {
    print(`${name}: ended by ${ending}`)
    process.exit(1)
  }
  const good = proof.isMeasurement ? 'measured' : 'held'
  const result = ended.code === 0 ? good : '**failed**'
  const size = isFull ? 'whole' : 'share'
  const figure = figures.join('; ').replaceAll('|', '/')
  print(`${name}: ${result} after ${seconds} s; ${figure}`)
  if (ended.code !== 0) process.exitCode = 1
  if (args.length > 0) return
  addRun(root, [
    new Date().toISOString().slice(0, 10),
    tried,
    name,
    size,
    seed,
    `${seconds} s`,
    availableParallelism(),
    figure,
    result,
  ])
}

interface Ended {
  readonly code: number | null
  /** Its last count of passes and failures. */
  readonly tally: string
}

/** Runs Node; what it writes is shown. */
function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      // With its own group: what it leaves behind would disturb the next one.
      detached: true,
    })
    running = child
    let end = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text)
      end = (end + text).slice(-1_000)
    })
    child.once('error', reject)
    child.once('exit', () => killGroup(child))
    child.once('close', (code) => {
      const tally = end.match(/\d+ passed, \d+ failed/g)?.at(-1) ?? `exit code ${code}`
      resolve({ code, tally })
    })
  })
}

/** The commit that is checked out, with a + if files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const isClean = git('status', '--porcelain', '--', ':!proofs/runs.md') === ''
  return `${git('rev-parse', '--short=8', 'HEAD')}${isClean ? '' : '+'}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
