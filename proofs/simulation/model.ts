import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { figure } from '../figure.ts'

// A program: has spin look at every state of `counting.pml`, and then without each of its rules, which must be missed.

const execute = promisify(execFile)
const model = fileURLToPath(new URL('counting.pml', import.meta.url))
const rules = ['NO_FLOOR', 'NO_SETTLING', 'NO_EPOCH', 'NO_ADDITION'] as const

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await execute(command, args, { cwd })).stdout
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw isMissing ? new Error(`${command} is not installed (Debian: ${command})`) : error
  }
}

interface Verdict {
  readonly states: number
  readonly errors: number
  /** The whole state space was searched. */
  readonly isComplete: boolean
}

/** @param without the rule to leave out */
async function check(without?: (typeof rules)[number]): Promise<Verdict> {
  const cwd = mkdtempSync(join(tmpdir(), 'tollgate-model-'))
  try {
    await run('spin', [...(without === undefined ? [] : [`-D${without}`]), '-a', model], cwd)
    await run('gcc', ['-w', '-O2', '-DSAFETY', '-o', 'pan', 'pan.c'], cwd)
    const found = await run('./pan', ['-m200000'], cwd)
    const states = Number(/(\d+) states, stored/.exec(found)?.[1])
    const errors = Number(/errors: (\d+)/.exec(found)?.[1])
    if (Number.isNaN(states + errors)) throw new Error(`spin said:\n${found}`)
    const isComplete = !/Search not completed|max search depth too small/.test(found)
    return { states, errors, isComplete }
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

const whole = await check()
const missed: string[] = []
for (const rule of rules) if ((await check(rule)).errors > 0) missed.push(rule)
figure(
  `${whole.states} states, ${whole.errors} errors; ${missed.length} of ${rules.length} rules are missed when left out`,
)
if (whole.errors > 0 || !whole.isComplete || missed.length < rules.length) {
  process.stdout.write(`missed: ${missed.join(', ')}; complete: ${whole.isComplete}\n`)
  process.exitCode = 1
}
