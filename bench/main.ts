// npm run bench [-- --rounds 10 --seconds 5]: our pipeline beside its peers, in one run, alternating.
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { measure, median, type Round } from './measure.ts'
import {
  createWorkbench,
  otherCore,
  plainProxy,
  type Subject,
  startBackend,
  startRedis,
  tollgate,
} from './subjects.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
  },
})
if (availableParallelism() < 2) throw new Error('needs two cores: one for what is measured')

const bench = createWorkbench()
try {
  const backendUrl = await startBackend(bench)
  const redisUrl = await startRedis(bench)
  const plain = await plainProxy(bench, backendUrl)
  const base = { backendUrl, calls: 1_000_000_000, expect: 'ok' } as const
  const subjects: Subject[] = [
    plain,
    await tollgate(bench, {
      ...base,
      name: 'Tollgate, counters in the process',
      redisUrl: undefined,
    }),
  ]
  if (redisUrl === undefined) process.stderr.write('skipped: no redis-server on this machine\n')
  else {
    subjects.push(await tollgate(bench, { ...base, name: 'Tollgate, counters in Redis', redisUrl }))
    subjects.push(
      await tollgate(bench, {
        ...base,
        name: 'Tollgate in Redis, over the limit',
        redisUrl,
        calls: 1,
        expect: 'refused',
      }),
    )
  }
  const rounds = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]))
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const subject of subjects) {
      const result = await measure({
        ...subject,
        expect: round === 0 && subject.expect === 'refused' ? 'mixed' : subject.expect,
        seconds: Number(values.seconds),
        connections: Number(values.connections),
        core: otherCore,
      })
      // The first round warms up.
      if (round > 0) rounds.get(subject)?.push(result)
    }
    process.stderr.write(`round ${round} of ${values.rounds}\n`)
  }
  report(rounds, plain)
} finally {
  await bench.close()
}

function report(rounds: ReadonlyMap<Subject, readonly Round[]>, plain: Subject): void {
  const table = new Table({
    head: ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/call', '× plain', 'resident MB'],
    style: { head: [], border: [] },
  })
  const cpuOf = (subject: Subject): number =>
    median((rounds.get(subject) ?? []).map((round) => round.cpuMicrosecondsPerCall))
  for (const [subject, results] of rounds) {
    table.push([
      subject.name,
      median(results.map((round) => round.perSecond)).toFixed(0),
      median(results.map((round) => round.p50Ms)).toFixed(1),
      median(results.map((round) => round.p99Ms)).toFixed(1),
      cpuOf(subject).toFixed(1),
      (cpuOf(subject) / cpuOf(plain)).toFixed(2),
      (subject.target.residentBytes() / 1e6).toFixed(0),
    ])
  }
  process.stdout.write(
    `${cpus()[0]?.model}, Node ${process.versions.node}; ${values.rounds} alternating rounds of ${values.seconds} s, ${values.connections} connections, medians; target on core 0, the rest on core ${otherCore}\n${table.toString()}\n`,
  )
}
