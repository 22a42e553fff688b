import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect, parseArgs } from 'node:util'
import { postgresMissing } from '../../test/support/database.ts'
import { redisMissing } from '../../test/support/redis-server.ts'
import { figure } from '../figure.ts'
import { groups } from './experiments/groups.ts'
import type { Outcome } from './outcome.ts'
import { createScope } from './scope.ts'
import { faultTable, groupTable, promises, promiseTable } from './table.ts'

// A program: runs the experiments with faults one after the other and prints what they found.
// --seed <number> draws the same again; --only R3,R5 runs some; --share runs what takes minutes;
// --soak <windows> sets the number of full windows.
// --books <folder> keeps what the ledger and the callers wrote. --write puts the tables into docs/evidence/faults.md.
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    only: { type: 'string' },
    share: { type: 'boolean', default: false },
    soak: { type: 'string' },
    books: { type: 'string' },
    write: { type: 'boolean' },
  },
})
// The gateways that it starts, often and under load, find here what an earlier one compiled.
process.env['NODE_COMPILE_CACHE'] ??= resolve('dist', 'compiled')

const seed = Number(values.seed ?? randomInt(2 ** 31))
const only = values.only?.split(',')
const soak = values.soak === undefined ? undefined : Number(values.soak)
const isWanted = (name: string): boolean =>
  only === undefined || only.some((wanted) => name.startsWith(wanted))

const missing = redisMissing() || postgresMissing()
if (missing) {
  process.stdout.write(`${missing}\n`)
  process.exit(1)
}

/** A run that takes longer hangs. */
const mostMs = 900_000
if (soak === undefined) {
  setTimeout(() => {
    process.stderr.write('it hangs\n')
    process.exit(1)
  }, mostMs).unref()
}

const outcomes: Outcome[] = []
/** What could not even be run to its end. */
const broken: string[] = []
const begunAt = performance.now()
process.stdout.write(`seed ${seed}\n`)

function report(outcome: Outcome): void {
  outcomes.push(outcome)
  const { id, title, notes, violations, unjudged } = outcome
  const seconds = Math.round((performance.now() - begunAt) / 1000)
  const lines = [
    ...violations.map((text) => `  VIOLATED: ${text}`),
    ...unjudged.map((text) => `  not judged: ${text}`),
    ...notes.map((text) => `  ${text}`),
  ]
  process.stdout.write(
    `${seconds} s ${violations.length === 0 ? 'ok' : 'NOT OK'} ${id} ${title}\n${lines.map((line) => `${line}\n`).join('')}`,
  )
}

for (const group of groups) {
  if (!group.ids.some(isWanted)) continue
  const scope = createScope()
  const end = (): void => void scope.end().finally(() => process.exit(1))
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    await group.run(scope, {
      seed,
      soak,
      books: values.books,
      isShare: values.share,
      isWanted,
      report,
    })
  } catch (error) {
    broken.push(group.ids.join(' '))
    process.stdout.write(`NOT OK ${group.ids.join(' ')}: ${inspect(error)}\n`)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    await scope.end()
  }
}

const promised = promises(outcomes)
const total = outcomes.length + promised.length + broken.length
const open = promised.filter(({ isKept }) => isKept === undefined).length
const unjudged = open + outcomes.flatMap((outcome) => outcome.unjudged).length
const fail =
  outcomes.filter(({ violations }) => violations.length > 0).length +
  promised.filter(({ isKept }) => isKept === false).length +
  broken.length
figure(`${outcomes.length} experiments, ${fail} failures, ${unjudged} not judged`)
const seconds = Math.round((performance.now() - begunAt) / 1000)
const summary = [
  `${new Date().toISOString().slice(0, 10)}, seed ${seed}, ${seconds} s, ${availableParallelism()} cores, ${outcomes.length} experiments`,
  promiseTable(promised),
  '',
].join('\n\n')
process.stdout.write(`\n${summary}${faultTable(outcomes)}\n\n`)
if (values.write === true) {
  const page = fileURLToPath(new URL('../../docs/evidence/faults.md', import.meta.url))
  const text = readFileSync(page, 'utf8')
  const measured = `<!-- measured -->\n${summary}${groupTable(outcomes)}\n<!-- /measured -->`
  writeFileSync(
    page,
    text.replace(/<!-- measured -->.*<!-- \/measured -->/s, () => measured),
  )
}
process.stdout.write(`${total - fail - open} passed, ${fail} failed, ${open} not judged\n`)
// Some experiments alone cannot judge every promise.
const isJudged = only === undefined ? open === 0 : outcomes.length > 0
process.exit(fail === 0 && isJudged ? 0 : 1)
