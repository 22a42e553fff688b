import { join } from 'node:path'
import { ample } from '../catalogue.ts'
import { addFillers } from '../fill-registry.ts'
import { embeddedUrl } from '../peers/embedded-peer.ts'
import { secrets, startTollgatePeer, tollgateEnv } from '../peers/tollgate-peer.ts'
import { printGoal } from '../report.ts'
import { startMs } from '../start-time.ts'
import { median } from '../statistics.ts'
import { root } from '../workbench.ts'
import type { BenchWorld } from '../world.ts'

const times = 5
const goal = { atMost: 1_500 }
/** Ten keys each. */
const fillerApplications = 100_000

/**
 * How long a start takes beside a registry of a million keys: `npm start` on its data folder, a gateway on the PostgreSQL of
 * the world.
 */
export async function printStartTimes(world: BenchWorld): Promise<void> {
  const dataDir = await largeDataFolder(world)
  const ports = { PORTAL_PORT: '0', BACKEND_PORT: '0', SCA_PORT: '0' }
  const all = {
    ...tollgateEnv(world, { name: 'everything', isEmbedded: true, dataDir }),
    ...ports,
    CONFIG_DIR: join(root, 'config'),
  }
  const everything = await startMs({ env: all, times })
  printGoal('start of everything on a data folder of 1,000,000 keys, ms', median(everything), goal)
  const env = tollgateEnv(world, { name: 'gateway' })
  const gateway = await startMs({ roles: ['gateway'], env, times })
  printGoal('start of a gateway on PostgreSQL with 1,000,000 keys, ms', median(gateway), goal)
}

/** A data folder in which an embedded registry has a million keys. */
async function largeDataFolder(world: BenchWorld): Promise<string> {
  const name = 'embedded, filled'
  const running = await startTollgatePeer(world, { name, isEmbedded: true })
  const databaseUrl = await embeddedUrl(running)
  process.stderr.write('registering 1,000,000 keys in the embedded database\n')
  const fill = { databaseUrl, pepper: secrets.KEY_PEPPER, plan: ample.name }
  await addFillers({ ...fill, applications: fillerApplications })
  await running.target.stop()
  return running.dataDir
}
