import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { proofs } from './table.ts'

// A program: runs long proofs in full, one after the other, and notes each run in docs/proofs.md. The suites of a landing
// run a share of each. With names it runs those; --seed <number> draws what an earlier run drew, --workers <number> divides
// the simulation of the counters, and --replay <file> only runs a schedule that it wrote.
const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string' },
    workers: { type: 'string', default: '1' },
    replay: { type: 'string' },
  },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => proofs[name] === undefined)
if (unknown.length > 0) {
  process.stderr.write(
    `There is no proof "${unknown.join('", "')}"; choose from ${Object.keys(proofs).join(', ')}.\n`,
  )
  process.exit(2)
}
const root = fileURLToPath(new URL('..', import.meta.url))
if (values.replay !== undefined) {
  const args = ['test/simulation/main.ts', '--replay', resolve(values.replay)]
  process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1)
}
const record = fileURLToPath(new URL('../docs/proofs.md', import.meta.url))
if (!existsSync(record)) {
  writeFileSync(
    record,
    `# Proofs that were run in full

\`npm run prove\` runs them all, \`npm run prove -- rolling-restart\` runs one; each run adds a line. Every landing runs a fixed share of each.

| Date | Proof | What it shows | Seed | Time | Cores | Result |
|---|---|---|---|---|---|---|
`,
  )
}
const seed = values.seed ?? String(Date.now() % 2 ** 31)
const wanted = positionals.length > 0 ? positionals : Object.keys(proofs)
for (const name of wanted) {
  const proof = proofs[name]
  if (proof === undefined) continue
  process.stdout.write(`\n${name}: ${proof.shows} (seed ${seed})\n`)
  const begunAt = performance.now()
  const { status } = spawnSync(process.execPath, proof.command(seed, values.workers), {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PROOF: 'whole', SEED: seed, TAP_TIMEOUT: '3600' },
  })
  const seconds = Math.round((performance.now() - begunAt) / 1000)
  const date = new Date().toISOString().slice(0, 10)
  const result = status === 0 ? 'held' : '**failed**'
  appendFileSync(
    record,
    `| ${date} | ${name} | ${proof.shows} | ${seed} | ${seconds} s | ${availableParallelism()} | ${result} |\n`,
  )
  if (status !== 0) process.exitCode = 1
}
