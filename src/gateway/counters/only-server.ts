import type { SentinelRedis, SingleRedis } from '../../platform/redis-address.ts'
import type { CountingServers, ServersOptions } from './counting-servers.ts'
import { onlyPlace } from './grant-script.ts'

export interface OnlyServerOptions extends ServersOptions {
  readonly address: SingleRedis | SentinelRedis
}

/** Counts on one server, which may become another one: that is what sentinels are for. */
export function createOnlyServer(options: OnlyServerOptions): CountingServers {
  const { address, decideAlone, onUp, onDown } = options
  const server = options.openServer({
    address,
    node: undefined,
    buckets: { slotOf: () => 0, isOurs: () => true, areSlotted: false },
    markerPlace: () => onlyPlace,
    runIdOtherwise: '',
    isComplete: () => false,
    // Only nodes of a cluster redirect.
    onRedirected: decideAlone,
    onMisplaced: () => undefined,
    onShared: onUp,
    onLost: onDown,
  })
  return {
    slotOf: () => 0,
    serverOf: () => server,
    clockOf: () => server.clock,
    send(turn) {
      for (const batch of turn.values()) {
        // Left since the calls came.
        if (server.isShared()) server.send([batch])
        else decideAlone(batch)
      }
    },
    ask: (_slot, command) => server.connection.ask(command),
    isUp: server.isShared,
    beat: server.beat,
    close: server.close,
  }
}
