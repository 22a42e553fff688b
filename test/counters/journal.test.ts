import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openJournal } from '../../src/gateway/counters/memory/journal.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { startProcess } from './processes.ts'
import { admittedOf, ask, askTimes, bucketOf, silent } from './rig.ts'

function journalOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-journal-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return join(folder, 'deep', 'counters')
}

const noon = Date.UTC(2026, 10, 20, 12)

t.test('every acknowledged call is still counted after the process was killed', async (t) => {
  const journalPath = journalOf(t)
  const limits = [{ ...bucketOf('killed'), calls: 1_000_000_000 }]
  for (const round of [1, 2, 3]) {
    const { child } = await startProcess(t, { journalPath })
    let acknowledged = 0
    child.on('message', () => {
      acknowledged += 1
      if (acknowledged === 200 * round) child.kill('SIGKILL')
    })
    child.send({ limits })
    const [, signal] = await once(child, 'exit')
    t.equal(signal, 'SIGKILL')

    const counter = await createMemoryCounter({ journalPath, log: silent })
    const [state] = await counter.peek(limits)
    t.ok(acknowledged >= 200 * round)
    t.ok(state !== undefined && state.count >= acknowledged, `${state?.count} ≥ ${acknowledged}`)
    await counter.reset(bucketOf('killed'))
    await counter.close()
  }
})

t.test(
  'an admitted call is on record before it is answered, one write for all of a turn',
  async (t) => {
    const journalPath = journalOf(t)
    let writes = 0
    const counter = await createMemoryCounter({
      journalPath,
      log: silent,
      onStoreDuration: () => {
        writes += 1
      },
    })
    const limits = [{ ...bucketOf('recorded'), calls: 100 }]
    const onRecord: string[] = []
    await Promise.all(
      Array.from({ length: 10 }, () =>
        ask(counter, limits).then(() => onRecord.push(readFileSync(journalPath, 'utf8'))),
      ),
    )
    t.ok(onRecord.every((text) => text.endsWith(' 0 10;\n')))
    t.equal(writes, 1)
    await counter.close()
  },
)

t.test('counts, limits in two windows and resets survive a restart', async (t) => {
  const journalPath = journalOf(t)
  const options = { journalPath, now: () => noon + 600_000, log: silent }
  const hour = { ...bucketOf('kept', 3600), calls: 10 }
  const day = { ...bucketOf('kept', 86_400), calls: 20 }
  let counter = await createMemoryCounter(options)
  await askTimes(7, counter, [hour, day])
  await counter.reset(day)
  await askTimes(2, counter, [hour, day])
  await counter.close()
  counter = await createMemoryCounter(options)
  t.match(await counter.peek([hour, day]), [
    { count: 9, resetMs: 3_000_000 },
    { count: 2, resetMs: 12 * 3_600_000 - 600_000 },
  ])
  await counter.close()
})

t.test('a line torn by a crash costs nothing but itself', async (t) => {
  const journalPath = journalOf(t)
  const options = { journalPath, now: () => noon, log: silent }
  const limits = [{ ...bucketOf('torn', 3600), calls: 1000 }]
  const [{ bucket = '' } = {}] = limits
  for (const torn of [`${bucket} 3600 ${noon / 3_600_000} 0 9`, bucket, '\0\0\0\n', '\n\n']) {
    let counter = await createMemoryCounter(options)
    await counter.reset(bucketOf('torn', 3600))
    await askTimes(95, counter, limits)
    await counter.close()
    appendFileSync(journalPath, torn)
    counter = await createMemoryCounter(options)
    t.match(await counter.peek(limits), [{ count: 95 }], JSON.stringify(torn))
    await askTimes(2, counter, limits)
    await counter.close()
    counter = await createMemoryCounter(options)
    t.match(await counter.peek(limits), [{ count: 97 }], JSON.stringify(torn))
    await counter.close()
  }
})

t.test('a journal torn exactly before its last line break is not continued on that line', (t) => {
  const path = journalOf(t)
  const stateOf = (count: number) => ({
    ...bucketOf(`state-${count}`, 3600),
    window: 1,
    epoch: 0,
    count,
  })
  let journal = openJournal({ path })
  journal.append([stateOf(1), stateOf(2)])
  journal.close()
  truncateSync(path, statSync(path).size - 1)
  journal = openJournal({ path })
  t.same(journal.found, [stateOf(1), stateOf(2)], 'its last line is still whole')
  journal.append([stateOf(3)])
  journal.close()
  journal = openJournal({ path })
  t.same(journal.found, [stateOf(1), stateOf(2), stateOf(3)])
  journal.close()
  t.end()
})

t.test('the window never goes back when the clock does, over a restart too', async (t) => {
  const journalPath = journalOf(t)
  let now = noon + 1000
  const options = { journalPath, now: () => now, log: silent }
  const limits = [{ ...bucketOf('stepping', 3600), calls: 5 }]
  let counter = await createMemoryCounter(options)
  t.equal(admittedOf(await askTimes(5, counter, limits)), 5)
  now -= 3_600_000
  t.match(await ask(counter, limits), { admitted: false, retryAfterMs: 2 * 3_600_000 - 1000 })
  await counter.close()
  counter = await createMemoryCounter(options)
  t.match(await ask(counter, limits), { admitted: false })
  now += 3_600_000
  t.match(await ask(counter, limits), { admitted: false }, 'forward again, still the same window')
  now += 3_600_000
  t.match(await ask(counter, limits), { admitted: true })
  await counter.close()
})

t.test('the journal neither grows without end nor keeps windows long past', async (t) => {
  const journalPath = journalOf(t)
  let now = noon
  const counter = await createMemoryCounter({ journalPath, now: () => now, log: silent })
  const bucket = bucketOf('long'.repeat(100), 3600)
  for (let call = 0; call < 4000; call += 1) {
    await ask(counter, [{ ...bucket, calls: 1_000_000 }])
  }
  t.ok(statSync(journalPath).size < 1_100_000, `${statSync(journalPath).size} bytes`)
  t.match(await counter.peek([bucket]), [{ count: 4000 }])
  now += 3 * 3_600_000
  await ask(counter, [{ ...bucketOf('fresh', 3600), calls: 10 }])
  await counter.close()
  await (await createMemoryCounter({ journalPath, now: () => now, log: silent })).close()
  t.match(
    readFileSync(journalPath, 'utf8'),
    /^tollgate:\{app\}:xs2a:1\.7\.0:fresh:3600 \S+ \S+ 0 1;\n$/,
  )
})

t.test('calls go on while the disk is full, and reach the journal when it is not', async (t) => {
  const journalPath = journalOf(t)
  // A file-size limit of 1 KiB makes write() fail as a full disk does, at a place we choose. The
  // environment is emptied, because tap makes every process write its own file.
  const child = spawn(
    'bash',
    [
      '-c',
      'ulimit -S -f 1 && exec env -i "$0" "$@"',
      process.execPath,
      'full-disk.ts',
      journalPath,
    ],
    {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const output = await new Response(child.stdout).text()
  t.same(JSON.parse(output), { admitted: 50, changes: [false, true], errors: 1 })
  const counter = await createMemoryCounter({ journalPath, log: silent })
  const buckets = Array.from({ length: 50 }, (_, call) => bucketOf(`full:${call}`))
  const counts = (await counter.peek(buckets)).map(({ count }) => count)
  t.same(
    counts,
    buckets.map(() => 1),
  )
  await counter.close()
})
