import type { SentinelRedis, SingleRedis } from '../../../platform/redis-address.ts'
import type { CountingServers, ServersOptions } from './counting-servers.ts'
import { onlyPlace } from './grant-script.ts'

export interface OnlyServerOptions extends ServersOptions {
  readonly address: SingleRedis | SentinelRedis
}

/** Counts on one server at a time; with sentinels, a failover can replace it. */
export function createOnlyServer(options: OnlyServerOptions): CountingServers {
  const { address, decideAlone, onUp, onDown } = options
  const server = options.openServer({
    address,
    node: undefined,
    buckets: { slotOf: () => 0, isOurs: () => true, areSlotted: false },
    markerPlace: () => onlyPlace,
    runIdOtherwise: '',
    isComplete: () => false,
    // Only cluster nodes redirect.
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
        // The connection may have ended since the calls arrived.
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
