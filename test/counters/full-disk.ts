// Counts on 50 buckets, one a turn, under a file-size limit its starter has set, lifts the limit,
// counts once more and prints what happened.
import { execFileSync } from 'node:child_process'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { ask, bucketOf } from './rig.ts'

const changes: boolean[] = []
let errors = 0
let admitted = 0
const counter = await createMemoryCounter({
  journalPath: process.argv[2] ?? '',
  log: {
    info: () => undefined,
    warn: () => undefined,
    error: () => {
      errors += 1
    },
  },
})
for (let call = 0; call < 50; call += 1) {
  if (call === 49) execFileSync('prlimit', [`--pid=${process.pid}`, '--fsize=unlimited:'])
  const grant = await ask(counter, [{ ...bucketOf(`full:${call}`), calls: 1 }])
  if (grant.admitted) admitted += 1
  if (counter.isUp() !== (changes.at(-1) ?? true)) changes.push(counter.isUp())
}
console.log(JSON.stringify({ admitted, changes, errors }))
await counter.close()
