// npm run bench:records [-- --rounds 10 --seconds 4]: what remembering calls for developers costs an admitted call.
// The same gateway with RECORD_CALLS true and false, in one run, alternating: beside a PostgreSQL of its own, as in
// production, and embedded, where the database is a thread of the same process and its time counts, too.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { startPostgres } from '../test/support/database.ts'
import { measure, median, type Round } from './measure.ts'
import {
  createWorkbench,
  otherCore,
  type Subject,
  startBackend,
  startRedis,
  tollgate,
  type Workbench,
} from './subjects.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
  },
})
if (availableParallelism() < 2) throw new Error('needs two cores: one for what is measured')

interface Pair {
  readonly name: string
  readonly recording: Subject
  readonly without: Subject
  readonly rounds: { readonly recording: Round; readonly without: Round }[]
}

const bench = createWorkbench()
try {
  const pairs = await startPairs(bench)
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const { recording, without, rounds } of pairs) {
      // Whoever comes second finds the machine warmer: they take turns.
      const isFirst = round % 2 === 0
      const early = isFirst ? await run(recording) : undefined
      const plain = await run(without)
      const result = { recording: early ?? (await run(recording)), without: plain }
      // The first round warms up.
      if (round > 0) rounds.push(result)
    }
    process.stderr.write(`round ${round} of ${values.rounds}\n`)
  }
  report(pairs)
} finally {
  await bench.close()
}

async function startPairs(bench: Workbench): Promise<Pair[]> {
  const backendUrl = await startBackend(bench)
  const base = { backendUrl, calls: 1_000_000_000, expect: 'ok' } as const
  const redisUrl = await startRedis(bench)
  const postgres = await startPostgres({
    teardown: (undo) => bench.undo(async () => void (await undo())),
    comment: (text) => process.stderr.write(`${text}\n`),
  })
  const { privateKey } = generateKeyPairSync('ed25519')
  const stores =
    redisUrl === undefined || postgres === undefined
      ? undefined
      : {
          DATABASE_URL: postgres.url,
          KEY_PEPPER: randomBytes(32).toString('base64url'),
          IDENTITY_PRIVATE_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
          DRAIN_SECONDS: '0',
        }

  async function pair(name: string, redisUrl: string | undefined, env: Record<string, string>) {
    const start = (isRecording: boolean): Promise<Subject> =>
      tollgate(bench, {
        ...base,
        name,
        redisUrl,
        env: { ...env, RECORD_CALLS: String(isRecording) },
      })
    return { name, recording: await start(true), without: await start(false), rounds: [] }
  }

  return [
    ...(stores === undefined ? [] : [await pair('PostgreSQL and Redis', redisUrl, stores)]),
    await pair('embedded', undefined, {}),
  ]
}

function run(subject: Subject): Promise<Round> {
  return measure({
    ...subject,
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    core: otherCore,
  })
}

function report(pairs: readonly Pair[]): void {
  const table = new Table({
    head: [
      'stores',
      'calls/s',
      'CPU µs/call without',
      'recording',
      'ratio',
      'p99 ms without',
      'recording',
    ],
    style: { head: [], border: [] },
  })
  for (const { name, rounds } of pairs) {
    const cpu = (of: 'recording' | 'without') =>
      median(rounds.map((round) => round[of].cpuMicrosecondsPerCall))
    const p99 = (of: 'recording' | 'without') => median(rounds.map((round) => round[of].p99Ms))
    const ratios = rounds.map(
      ({ recording, without }) => recording.cpuMicrosecondsPerCall / without.cpuMicrosecondsPerCall,
    )
    table.push([
      name,
      median(rounds.map(({ recording }) => recording.perSecond)).toFixed(0),
      cpu('without').toFixed(1),
      cpu('recording').toFixed(1),
      `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      p99('without').toFixed(1),
      p99('recording').toFixed(1),
    ])
  }
  process.stdout.write(
    `${cpus()[0]?.model}, Node ${process.versions.node}; ${values.rounds} alternating rounds of ${values.seconds} s, ${values.connections} connections, medians; target on core 0, the rest on core ${otherCore}\n${table.toString()}\n`,
  )
}
