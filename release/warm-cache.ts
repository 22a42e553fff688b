import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// A program: `node release/warm-cache.ts <folder of a release>` fills the compile cache of the image, where nothing can
// write it later. An entry is valid for the same path and the same Node.

/** They begin to work, or end the process, when they are loaded. */
const programs = /\/(main|create-database|embedded-database-worker)\.js$/

/**
 * Runs every role once, whose compiled functions Node then keeps, and loads what
 * no role of this run needed, such as the clients of PostgreSQL and Redis.
 *
 * @throws if the program does not become ready
 */
export async function warmCache(folder: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-warm-'))
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: dataDir,
    CONFIG_DIR: join(folder, 'config'),
    LOG_LEVEL: 'warn',
    GATEWAY_PORT: '0',
    PORTAL_PORT: '0',
    BACKEND_PORT: '0',
    SCA_PORT: '0',
    MANAGEMENT_PORT: '0',
  }
  try {
    await runOnce([join(folder, 'bin', 'tollgate.js'), 'start'], env)
    const files = globSync('src/**/*.js', { cwd: folder })
      .map((file) => join(folder, file))
      .filter((file) => !programs.test(file))
    const load = 'for (const file of process.argv.slice(1)) await import(file)'
    const cache = join(folder, 'node_modules', '.cache', 'tollgate')
    await run(['--input-type=module', '-e', load, ...files], {
      ...env,
      NODE_COMPILE_CACHE: cache,
    })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Starts the program, and stops it when it is ready. */
async function runOnce(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('tollgate ready ')) child.kill('SIGTERM')
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`tollgate ended with ${code}`)
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`loading the program ended with ${code}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error('usage: warm-cache.ts <folder>')
  await warmCache(folder)
}
