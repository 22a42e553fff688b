// npm run prove -- bench [--section admitted --rounds 10 --seconds 2 --only tollgate]: an enforced call beside what people
// would build or buy, and what it costs in all the other ways (docs/evidence/performance.md).
import { readOptions } from './options.ts'
import { print, printHeader } from './report.ts'
import { admitted } from './sections/admitted.ts'
import { bodies } from './sections/bodies.ts'
import { buckets } from './sections/buckets.ts'
import { embedded } from './sections/embedded.ts'
import { footprint } from './sections/footprint.ts'
import { keys } from './sections/keys.ts'
import { latency } from './sections/latency.ts'
import { log } from './sections/log.ts'
import { refused } from './sections/refused.ts'
import type { Section } from './sections/section.ts'
import { sizes } from './sections/sizes.ts'
import { tls } from './sections/tls.ts'
import { onTwoCores } from './two-cores.ts'
import { onPartOf } from './workbench.ts'
import { openWorld } from './world.ts'

const sections: Readonly<Record<string, Section>> = {
  admitted,
  embedded,
  refused,
  bodies,
  latency,
  log,
  tls,
  footprint,
  sizes,
  keys,
  buckets,
}

const options = readOptions(process.argv.slice(2))
const unknown = options.sections.filter((name) => !Object.hasOwn(sections, name))
if (unknown.length > 0) {
  throw new Error(`no section ${unknown}; there are: ${Object.keys(sections).join(', ')}`)
}
await onTwoCores(async (bench) => {
  const world = await openWorld(bench, options)
  printHeader(options)
  for (const [name, section] of Object.entries(sections)) {
    if (options.sections.length > 0 && !options.sections.includes(name)) continue
    print(`\n${name}`)
    await onPartOf(bench, (part) => section({ ...world, bench: part }, options))
  }
})
