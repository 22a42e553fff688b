import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { childEnvironment } from '../support/child-environment.ts'
import { productionEnv } from '../support/fleet.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { quietEnv, testConfigDir } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const launcher = join(root, 'bin', 'tollgate.js')
/** Arguments with which the image starts it, so that it is one process. */
const serving: readonly string[] = JSON.parse(
  readFileSync(join(root, 'bin', 'node-options.json'), 'utf8'),
)
const asFirst = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--pid',
  '--fork',
  '--kill-child',
]
const missing = () =>
  spawnSync('unshare', [...asFirst.slice(1), 'true']).status !== 0 &&
  'this machine allows no namespaces of processes'

t.test(
  'a start or a command that has not come far ends at SIGTERM, also as the first process of a container, which has no default',
  { skip: missing() },
  async (t) => {
    let asked = 0
    // A database that takes connections and says nothing.
    const sockets = new Set<Socket>()
    const database = createServer((socket) => {
      asked += 1
      sockets.add(socket.on('error', () => undefined))
    })
    const port = await listenOnLoopback(database)
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
      database.close()
    })
    const dataDir = mkdtempSync(join(tmpdir(), 'tg-signals-'))
    t.teardown(() => rmSync(dataDir, { recursive: true }))
    const env = {
      ...childEnvironment,
      ...quietEnv,
      ...productionEnv(),
      CONFIG_DIR: testConfigDir(t),
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://tollgate:secret@127.0.0.1:${port}/tollgate?sslmode=disable`,
      BACKEND_URL: 'http://127.0.0.1:9',
    }
    for (const [args, signal] of [
      [['start', 'gateway'], 'SIGTERM'],
      [['migrate'], 'SIGTERM'],
      [['start', 'gateway'], 'SIGINT'],
    ] as const) {
      const [program = '', ...options] = asFirst
      const command = [process.execPath, ...serving, launcher, ...args]
      const child = spawn(program, [...options, ...command], { cwd: root, env, stdio: 'ignore' })
      t.teardown(() => child.kill('SIGKILL'))
      const exit = once(child, 'exit')
      const before = asked
      await until('it asks the database', async () => asked > before)
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      const pid = Number(children)
      t.ok(pid > 1, `${children} is one process`)
      if (pid > 1) process.kill(pid, signal)
      t.same(await exit, [signal === 'SIGTERM' ? 143 : 130, null], args.join(' '))
    }
  },
)
