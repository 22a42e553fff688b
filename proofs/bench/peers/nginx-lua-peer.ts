import { startNginx } from '../nginx.ts'
import { operations } from '../operations.ts'
import { targetCore } from '../two-cores.ts'
import { upstream } from './nginx-peer.ts'
import type { Peer, World } from './peer.ts'

export const luaPeerName = 'nginx + Lua + Redis'

/**
 * Key check and exact hourly counter in Lua in nginx, with Redis: the leanest
 * form of what the gateways built on it do. Operations are nginx locations,
 * known keys a table of the worker, the count one command to Redis per call.
 */
export async function startNginxLuaPeer(
  world: World,
  { workers = 1 }: { readonly workers?: number } = {},
): Promise<Peer> {
  const { hostname, port } = new URL(world.redisUrl)
  const running = await startNginx(world.bench, {
    name: `nginx-lua-${workers}`,
    workers,
    core: targetCore,
    withLua: true,
    http: () => `${upstream(world.backendUrl)}
  lua_package_path "${import.meta.dirname}/?.lua;/usr/share/lua/5.1/?.lua;;";
  init_by_lua_block {
    gateway = require("nginx-lua-peer")
    gateway.redis = { host = "${hostname}", port = ${port} }
  }`,
    server: operations.map(location).join('\n    '),
  })
  return { name: luaPeerName, ...running }
}

function location({ id, start, hasParameter }: (typeof operations)[number]): string {
  return `location ${hasParameter ? '^~' : '='} ${start} {
      access_by_lua_block { gateway.admit("${id}") }
      proxy_pass http://backend;
    }`
}
