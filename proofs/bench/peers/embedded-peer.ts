import { databaseBeside } from '../../../src/platform/database/embedded-database.ts'
import { ample } from '../catalogue.ts'
import { fillRegistry } from '../fill-registry.ts'
import type { World } from './peer.ts'
import { secrets, startTollgatePeer, type TollgatePeer } from './tollgate-peer.ts'

export interface EmbeddedOptions {
  readonly name: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * A gateway with its stores in its own process, and the keys of the applications registered there: as many as in the world.
 */
export async function startEmbeddedPeer(
  world: World,
  options: EmbeddedOptions,
): Promise<TollgatePeer & { readonly keys: readonly string[] }> {
  const running = await startTollgatePeer(world, { ...options, isEmbedded: true })
  const ownKeys = await fillRegistry({
    databaseUrl: await embeddedUrl(running),
    pepper: secrets.KEY_PEPPER,
    applications: world.keys.length,
    plan: ample.name,
  })
  return { ...running, keys: ownKeys }
}

/** Where the embedded database of a running gateway is reached. */
export async function embeddedUrl({ dataDir }: TollgatePeer): Promise<string> {
  const url = await databaseBeside(dataDir)
  if (url === undefined) throw new Error('the embedded database does not answer')
  return url
}
