#!/usr/bin/env node
// Runs src/cli on the Node the project brings with it, whatever Node started us:
// older ones cannot strip types. Starts it again for options only a start takes, too. Plain JavaScript, so that any Node can read it.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli', 'main.ts')
const runtimeMajor = 26

// What V8 made of the code the last time: a third of the time of a start. Beside the code, so whoever can
// write it could change the code as well; Node compares the code with what it was made from.
process.env.NODE_COMPILE_CACHE ??= join(
  ...[dirname(fileURLToPath(import.meta.url)), '..', 'node_modules', '.cache', 'tollgate'],
)

const isOldNode = Number(process.versions.node.split('.')[0]) < runtimeMajor
// What serves calls makes some 100 MB of short-lived objects a second. A collection costs by what is alive when it
// comes, so fewer of them cost less: measured a tenth of a call. Node takes such options only when it starts.
const isToServe = process.argv[2] === 'start' && !hasOptionsOfItsOwn()

if (isOldNode || isToServe) {
  const options = isToServe ? createRequire(import.meta.url)('./node-options.json') : []
  reexecute(isOldNode ? bundledNode() : process.execPath, options)
} else {
  // Processes that are started here read the variable; this one has read it before.
  module.enableCompileCache()
  await import(program)
}

/** Whether somebody has given this process the options or others in their place, or looks into it: that is meant for no other one. */
function hasOptionsOfItsOwn() {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  return /semi[-_]space[-_]size|--inspect|--(cpu|heap)[-_]prof/.test(given)
}

/** The path of the Node brought by the optional dependency, or undefined where there is none for this platform. */
function bundledNode() {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`)
    return join(dirname(manifest), 'bin', 'node')
  } catch {
    return undefined
  }
}

function reexecute(node, options) {
  if (node === undefined) {
    process.stderr.write(
      `tollgate: needs Node ${runtimeMajor} or newer, this is ${process.version}, and no bundled one fits ${process.platform}-${process.arch}\n`,
    )
    process.exit(1)
  }
  // The channel tells the child when we are gone (even by SIGKILL), so no process is left behind.
  // Those of an older Node may mean nothing to ours.
  const given = isOldNode ? [] : process.execArgv
  const child = spawn(node, [...given, ...options, program, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // Whoever started us in the same way is gone.
  if (process.connected) process.once('disconnect', () => child.disconnect())
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    // A signal that could not be handed on is an error, too; the child goes on.
    if (child.pid !== undefined) return
    process.stderr.write(`tollgate: cannot run ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? code : 128 + constants.signals[signal])
  })
}
