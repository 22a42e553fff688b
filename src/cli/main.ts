import { run } from './run.ts'

// The reader of a pipe may end before it has read everything (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
// Not process.exit(): what is still on its way into a pipe must arrive.
process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  isTerminal: process.stdin.isTTY && process.stdout.isTTY,
})
