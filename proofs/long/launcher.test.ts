import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { productionEnv } from '../../test/support/fleet.ts'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { quietEnv, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const launcher = join(root, 'bin', 'tollgate.js')
/** Arguments with which the program serves. */
const serving: readonly string[] = JSON.parse(
  readFileSync(join(root, 'bin', 'node-options.json'), 'utf8'),
)

/** The Node the launcher is for: the machine's own, which cannot strip types; without one, ours. */
function findNode(): string {
  const found = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    if (!existsSync(path)) return false
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' })
    const major = Number(/^v(\d+)/.exec(version)?.[1])
    return major >= 20 && major < 24
  })
  return found ?? process.execPath
}

const node = findNode()
figure(`launched by ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`)

function launch(
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  command: readonly string[] = [node],
): ChildProcess {
  const [program = node, ...options] = command
  const child = spawn(program, [...options, launcher, ...args], {
    env: { ...childEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Its own process group, as a shell gives to what runs in its terminal.
    detached: true,
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

/** Starts everything through the launcher; resolves with its process and that of the program. */
async function launchTollgate(
  t: Test,
  command: readonly string[] = [node],
): Promise<{ child: ChildProcess; programPid: number }> {
  const dataDir = await testDataDir(t)
  const env = { ...quietEnv, DATA_DIR: dataDir, CONFIG_DIR: testConfigDir(t) }
  const child = launch(t, ['start'], env, command)
  return { child, programPid: await programIn(t, child, dataDir) }
}

/** Waits for the ready line of `child`; resolves to the process that has its data folder open. */
async function programIn(t: Test, child: ChildProcess, dataDir: string): Promise<number> {
  const { stdout } = child
  if (stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('tollgate ready ')) break
  }
  const programPid = Number(readFileSync(join(dataDir, 'tollgate.pid'), 'utf8').split('\n')[0])
  t.teardown(() => {
    if (isAlive(programPid)) process.kill(programPid, 'SIGKILL')
  })
  return programPid
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

t.test('whatever Node is there runs commands, with their output and exit code', async (t) => {
  const cases = [
    { args: ['check'], code: 0 },
    { args: ['start', 'nobody'], code: 2 },
    { args: ['start', 'gateway'], code: 1 },
  ]
  for (const { args, code } of cases) {
    const child = launch(t, args, { CONFIG_DIR: testConfigDir(t) })
    const { stdout, stderr } = child
    if (stdout === null || stderr === null) throw new Error('no output')
    const [out, err, [exitCode]] = await Promise.all([
      text(stdout),
      text(stderr),
      once(child, 'exit'),
    ])
    t.equal(exitCode, code, `${args.join(' ')}: ${err}`)
    t.equal(out !== '', code === 0, 'results on standard output')
    t.equal(err !== '', code !== 0, 'mistakes on standard error')
  }
})

const optionsOf = (pid: string | number): readonly string[] =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .filter((part) => part.startsWith('--'))

t.test('whatever Node is there runs the program and hands SIGTERM on to it', async (t) => {
  const { child, programPid } = await launchTollgate(t)
  t.equal(programPid === child.pid, node === process.execPath, 'an old Node starts ours')
  t.same(optionsOf(programPid), [], 'no options: on a laptop, memory is worth more')
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  t.same(await exit, [0, null])
  t.notOk(isAlive(programPid))
})

t.test('with a database of production, the program gets the options it serves with', async (t) => {
  const silent = createServer()
  const port = await listenOnLoopback(silent)
  t.teardown(() => silent.close())
  const env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/none` }
  const child = launch(t, ['start'], { CONFIG_DIR: testConfigDir(t), ...productionEnv(), ...env })
  const children = `/proc/${child.pid}/task/${child.pid}/children`
  const program = () => readFileSync(children, 'utf8').trim()
  await until('the program runs', async () => program() !== '' && optionsOf(program()).length > 0)
  t.same(optionsOf(program()), serving)
  const exit = once(child, 'exit')
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await exit
})

t.test(
  'started with the options it serves with, as the image does, it is one process',
  async (t) => {
    const { child, programPid } = await launchTollgate(t, [process.execPath, ...serving])
    t.equal(programPid, child.pid)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    t.same(await exit, [0, null])
    const entry = /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1]
    t.same(JSON.parse(entry ?? ''), ['node', ...serving, '/app/bin/tollgate.js'])
  },
)

t.test('started to be looked into, or with sizes of its own, it is one process', async (t) => {
  for (const option of ['--inspect=127.0.0.1:0', '--max_semi_space_size=16']) {
    const { child, programPid } = await launchTollgate(t, [process.execPath, option])
    t.equal(programPid, child.pid, option)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    t.same(await exit, [0, null])
  }
})

t.test('the program shuts down cleanly when the parent of the launcher is gone', async (t) => {
  const { child, programPid } = await launchTollgate(t)
  const exit = once(child, 'exit')
  child.disconnect()
  t.same(await exit, [0, null])
  t.notOk(isAlive(programPid))
})

t.test('Ctrl-C, which a terminal sends to launcher and program, is a clean shutdown', async (t) => {
  const { child, programPid } = await launchTollgate(t)
  if (child.pid === undefined) throw new Error('no process')
  const exit = once(child, 'exit')
  process.kill(-child.pid, 'SIGINT')
  t.same(await exit, [0, null])
  t.notOk(isAlive(programPid))
})

t.test('a launcher killed by SIGKILL leaves no process behind', async (t) => {
  const { child, programPid } = await launchTollgate(t)
  child.kill('SIGKILL')
  await until('the program ended by itself', async () => !isAlive(programPid))
})

for (const [command, signal] of [
  ['npm start', 'SIGTERM'],
  ['npm start', 'SIGKILL'],
  ['npx tollgate start', 'SIGTERM'],
] as const) {
  t.test(`${signal} to \`${command}\` ends the program, too`, async (t) => {
    const dataDir = await testDataDir(t)
    const [program = '', ...args] = command.split(' ')
    const child = spawn(program, args, {
      cwd: root,
      env: {
        ...childEnvironment,
        ...quietEnv,
        DATA_DIR: dataDir,
        CONFIG_DIR: testConfigDir(t),
        npm_config_cache: join(dataDir, '..', 'npm-cache'),
        npm_config_update_notifier: 'false',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const programPid = await programIn(t, child, dataDir)
    child.kill(signal)
    await until('no process is left behind', async () => !isAlive(programPid))
    t.notOk(existsSync(join(dataDir, 'tollgate.pid')), 'it shut down cleanly')
  })
}

t.test('SIGHUP while the program starts does not end it', async (t) => {
  const dataDir = await testDataDir(t)
  const env = { ...quietEnv, DATA_DIR: dataDir, CONFIG_DIR: testConfigDir(t) }
  // An old Node, or the options, make it two processes.
  const child = launch(t, ['start'], env)
  // From when the launcher has started the program until that is ready.
  const children = `/proc/${child.pid}/task/${child.pid}/children`
  await until('the program has a child', async () => readFileSync(children, 'utf8') !== '')
  const timer = setInterval(() => child.kill('SIGHUP'), 20)
  t.teardown(() => clearInterval(timer))
  await programIn(t, child, dataDir)
  clearInterval(timer)
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  t.same(await exit, [0, null])
})

t.test('a database that cannot be reached ends the start within 20 seconds', async (t) => {
  const env = {
    ...quietEnv,
    ...productionEnv(),
    DATABASE_URL: 'postgres://bank@127.0.0.1:9/tollgate',
    REDIS_URL: 'redis://127.0.0.1:9',
    BACKEND_URL: 'http://127.0.0.1:9',
  }
  const from = performance.now()
  const { code } = await tollgateProcess(env, 'start', 'gateway')
  t.equal(code, 1)
  const tookMs = performance.now() - from
  t.ok(tookMs < 20_000, `${tookMs} ms`)
})
