import childProcess, {
  execFileSync,
  type SpawnSyncOptions,
  type SpawnSyncReturns,
  spawn,
  spawnSync,
} from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// To start a program, Node copies the page tables of its own process, after which each page that it writes to faults
// once. A process that has run some dozens of test files has close to a gigabyte: each `openssl` cost it a tenth of a
// second at once, and up to a second and a half later. So a small process starts the programs that tests wait for.

/** What the small process is asked, and what it answers, as lines of JSON. */
interface Asked {
  readonly program: string
  readonly args: readonly string[]
  readonly options: { readonly [option: string]: unknown }
  readonly input: string | undefined
}

interface Answer extends Pick<SpawnSyncReturns<string>, 'pid' | 'status' | 'signal'> {
  readonly stdout: string | null
  readonly stderr: string | null
  readonly error?: { readonly message: string; readonly code?: string }
}

/** Options that the small process understands; a program with others is started as always. */
const known = new Set([
  'cwd',
  'env',
  'uid',
  'gid',
  'encoding',
  'input',
  'stdio',
  'timeout',
  'maxBuffer',
])

/** For a program that was given none: shorter than what a test file has. */
const timeoutMs = 120_000
/** In which the small process must be there. */
const startMs = 10_000

const newLine = 0x0a
const [, self, role, questions = '', answers = ''] = process.argv

if (role === 'small-parent' && self === import.meta.filename) serve()

function serve(): never {
  const from = openSync(questions, 'r')
  const to = openSync(answers, 'w')
  const read = lineReader(from, 'at once')
  writeWhole(to, '"ready"\n')
  for (;;) {
    const line = read()
    if (line === undefined) process.exit()
    const { program, args, options, input }: Asked = JSON.parse(line)
    const { pid, status, signal, stdout, stderr, error } = spawnSync(program, args, {
      ...options,
      ...(input === undefined ? {} : { input: Buffer.from(input, 'base64') }),
    })
    const answer: Answer = {
      ...{ pid, status, signal },
      ...{ stdout: stdout?.toString('base64') ?? null, stderr: stderr?.toString('base64') ?? null },
      ...(error === undefined ? {} : { error: { ...error, message: error.message } }),
    }
    writeWhole(to, `${JSON.stringify(answer)}\n`)
  }
}

/**
 * Has a small process start the programs that this one waits for, from now on.
 * Without it, this process starts them itself: it is only slower.
 *
 * @param folder a new one
 */
export function startFromSmallProcess(folder: string): void {
  const [there, back] = ['questions', 'answers'].map((name) => join(folder, name))
  if (there === undefined || back === undefined) throw new Error('two pipes')
  execFileSync('mkfifo', [there, back])
  const child = spawn(process.execPath, [import.meta.filename, 'small-parent', there, back], {
    ...{ stdio: 'ignore', env: { PATH: process.env['PATH'] } },
  })
  child.once('error', () => undefined)
  child.unref()
  // Neither waits for the other end, which may never be there.
  const to = openSync(there, constants.O_RDWR | constants.O_NONBLOCK)
  const from = openSync(back, constants.O_RDONLY | constants.O_NONBLOCK)
  const read = lineReader(from, 'in time')
  process.once('exit', () => {
    closeSync(to)
    closeSync(from)
    child.kill()
  })
  const before = { spawnSync: childProcess.spawnSync, execFileSync: childProcess.execFileSync }
  if (read(startMs) === undefined) giveUp()
  else replace({ spawnSync: spawnSyncApart, execFileSync: execFileSyncApart })

  function replace(functions: object): void {
    Object.assign(childProcess, functions)
    syncBuiltinESMExports()
  }

  function giveUp(): void {
    process.stderr.write('the small process is away: programs start from the large one\n')
    replace(before)
  }

  function ask(
    program: string,
    args: readonly string[],
    { input, encoding: _, ...options }: SpawnSyncOptions,
  ): Answer | undefined {
    const { cwd = process.cwd(), env = process.env, timeout = timeoutMs } = options
    const asked: Asked = {
      ...{ program, args },
      options: {
        ...options,
        ...{ env, timeout, cwd: cwd instanceof URL ? fileURLToPath(cwd) : cwd },
      },
      input: input === undefined ? undefined : Buffer.from(input as string).toString('base64'),
    }
    const isSent = writeWhole(to, `${JSON.stringify(asked)}\n`, startMs)
    const line = isSent ? read(timeout + startMs) : undefined
    if (line === undefined) giveUp()
    return line === undefined ? undefined : JSON.parse(line)
  }

  function spawnSyncApart(program: string, args?: unknown, given?: unknown) {
    const { list, options } = argumentsOf(args, given)
    const answer = isKnown(options) ? ask(program, list, options) : undefined
    if (answer === undefined) return before.spawnSync(program, list, options)
    const { stdout, stderr, error, ...rest } = answer
    const outputs = [stdout, stderr].map((text) => decoded(text, options))
    return {
      ...rest,
      ...{ output: [null, ...outputs], stdout: outputs[0], stderr: outputs[1] },
      ...(error === undefined ? {} : { error: Object.assign(new Error(error.message), error) }),
    }
  }

  function execFileSyncApart(program: string, args?: unknown, given?: unknown): unknown {
    const { list, options } = argumentsOf(args, given)
    if (!isKnown(options)) return before.execFileSync(program, list, options)
    const result = spawnSyncApart(program, list, options)
    const { error, status, stdout, stderr } = result
    if (options.stdio === undefined) process.stderr.write(stderr ?? '')
    if (error === undefined && status === 0) return stdout
    const words = `Command failed: ${[program, ...list].join(' ')}${stderr?.length ? `\n${stderr}` : ''}`
    throw Object.assign(error ?? new Error(words), result)
  }
}

function argumentsOf(args: unknown, given: unknown) {
  const list: readonly string[] = Array.isArray(args) ? args : []
  const options = (Array.isArray(args) ? given : args) as SpawnSyncOptions | undefined
  return { list, options: options ?? {} }
}

/** Whether the program only reads its input and writes its outputs. */
function isKnown(options: SpawnSyncOptions): boolean {
  const { stdio = 'pipe' } = options
  const kinds = typeof stdio === 'string' ? [stdio] : stdio
  return (
    Object.keys(options).every((option) => known.has(option)) &&
    kinds.every((kind) => kind === 'pipe' || kind === 'ignore')
  )
}

function decoded(base64: string | null, { encoding }: SpawnSyncOptions): string | Buffer | null {
  if (base64 === null) return null
  const bytes = Buffer.from(base64, 'base64')
  return !encoding || encoding === 'buffer' ? bytes : bytes.toString(encoding)
}

/** @returns whether it was written in so many milliseconds */
function writeWhole(to: number, text: string, ms = Number.POSITIVE_INFINITY): boolean {
  const bytes = Buffer.from(text)
  const until = performance.now() + ms
  for (let at = 0; at < bytes.length; ) {
    const length = unlessBusy(() => writeSync(to, bytes, at))
    if (length !== undefined) at += length
    else if (performance.now() > until) return false
    else pause()
  }
  return true
}

/** @returns undefined when a pipe is full, or empty */
function unlessBusy(use: () => number): number | undefined {
  try {
    return use()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

/** For a millisecond. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
}

/**
 * @param how `at once`: a read waits for what comes. `in time`: it returns, and the next one comes after a millisecond
 * @returns what reads the next line, undefined at the end or after so many milliseconds
 */
function lineReader(from: number, how: 'at once' | 'in time'): (ms?: number) => string | undefined {
  const chunk = Buffer.alloc(65_536)
  let hasRead = false
  let rest: Buffer[] = []

  /** @returns how many bytes are in the chunk; undefined for none yet */
  function more(): number | undefined {
    const length = unlessBusy(() => readSync(from, chunk))
    // Nobody has opened the other end yet.
    return length === 0 && how === 'in time' && !hasRead ? undefined : length
  }

  return (ms = Number.POSITIVE_INFINITY) => {
    const until = performance.now() + ms
    for (;;) {
      const length = more()
      if (length === undefined) {
        if (performance.now() > until) return undefined
        pause()
        continue
      }
      if (length === 0) return undefined
      hasRead = true
      const bytes = Buffer.from(chunk.subarray(0, length))
      const end = bytes.indexOf(newLine)
      rest.push(end < 0 ? bytes : bytes.subarray(0, end))
      if (end < 0) continue
      const line = Buffer.concat(rest).toString()
      // A question is asked when the answer to the one before has come, so that nothing follows a line.
      rest = []
      return line
    }
  }
}
