import { join } from 'node:path'
import { startPinned } from '../process.ts'
import { targetCore } from '../two-cores.ts'
import type { Peer, World } from './peer.ts'

/** Starts one of the programs in this folder that are made of Node and npm packages. */
async function startNodePeer(world: World, name: string, program: string): Promise<Peer> {
  const target = await startPinned({
    core: targetCore,
    command: process.execPath,
    args: [join(import.meta.dirname, program)],
    env: { BACKEND_URL: world.backendUrl, REDIS_URL: world.redisUrl, NODE_ENV: 'production' },
    ready: /^ready (\S+)$/,
  })
  world.bench.undo(() => target.stop())
  return { name, url: target.address, target }
}

/** What people get who only register @fastify/http-proxy. */
export function startPlainPeer(world: World): Promise<Peer> {
  return startNodePeer(world, 'plain @fastify/http-proxy', 'plain-proxy.ts')
}

/** What people build: the proxy, @fastify/rate-limit on Redis and a look-up of the key. */
export function startHandMadePeer(world: World): Promise<Peer> {
  return startNodePeer(world, 'hand-made stack', 'hand-made.ts')
}

/** Our own forwarding without anything around it. */
export function startBarePeer(world: World): Promise<Peer> {
  return startNodePeer(world, 'bare forwarding', 'bare-forwarding.ts')
}
