// npm run bench [-- --section admitted --rounds 10 --seconds 2 --only tollgate]: an enforced call beside what people
// would build or buy, and what it costs in all the other ways (docs/performance.md).
import { readOptions } from './options.ts'
import { print, printHeader } from './report.ts'
import { admitted } from './sections/admitted.ts'
import { bodies } from './sections/bodies.ts'
import { buckets } from './sections/buckets.ts'
import { keys } from './sections/keys.ts'
import { latency } from './sections/latency.ts'
import { refused } from './sections/refused.ts'
import type { Section } from './sections/section.ts'
import { workers } from './sections/workers.ts'
import { leaveTargetCore, onPartOf, onWorkbench } from './workbench.ts'
import { openWorld } from './world.ts'
import { wrkMissing } from './wrk.ts'

const sections: Readonly<Record<string, Section>> = {
  admitted,
  refused,
  bodies,
  latency,
  workers,
  keys,
  buckets,
}

const options = readOptions(process.argv.slice(2))
const missing = wrkMissing()
if (missing !== undefined) throw new Error(missing)
leaveTargetCore()
await onWorkbench(async (bench) => {
  const world = await openWorld(bench, options)
  printHeader(options)
  for (const [name, section] of Object.entries(sections)) {
    if (options.sections.length > 0 && !options.sections.includes(name)) continue
    print(`\n${name}`)
    await onPartOf(bench, (part) => section({ ...world, bench: part }, options))
  }
})
