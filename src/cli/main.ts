import { run } from './run.ts'

// Not process.exit(): what is still on its way into a pipe must arrive.
process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
})
