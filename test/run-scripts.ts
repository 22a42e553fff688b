import { execFile } from 'node:child_process'

// Runs scripts of package.json at the same time and prints what each of them wrote when it has ended.

const passed = process.argv.slice(2).map(
  (name) =>
    new Promise<boolean>((resolve) => {
      const options = { maxBuffer: 100_000_000 }
      execFile('npm', ['run', name], options, (error, stdout, stderr) => {
        process.stdout.write(stdout)
        process.stderr.write(stderr)
        if (error !== null) process.stderr.write(`npm run ${name} failed\n`)
        resolve(error === null)
      })
    }),
)
process.exitCode = (await Promise.all(passed)).every(Boolean) ? 0 : 1
