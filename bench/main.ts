// npm run bench [-- --rounds 10 --seconds 2 --only tollgate]: an enforced call beside what people would build or buy.
import { readOptions } from './options.ts'
import { printHeader } from './report.ts'
import { benchAdmitted } from './sections/admitted.ts'
import { createWorkbench } from './workbench.ts'
import { openWorld } from './world.ts'
import { wrkMissing } from './wrk.ts'

const options = readOptions(process.argv.slice(2))
const missing = wrkMissing()
if (missing !== undefined) throw new Error(missing)

const bench = createWorkbench()
try {
  const world = await openWorld(bench)
  printHeader(options)
  await benchAdmitted(world, options)
} finally {
  await bench.close()
}
