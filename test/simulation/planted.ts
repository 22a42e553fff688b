import type { Patch } from './modules.ts'

export interface PlantedBug {
  /** The first schedule that shows it. */
  readonly seed: number
  readonly patches: readonly Patch[]
}

/** Faults to plant in the counters, one at a time. The simulation must find every one. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'no-floor': {
    seed: 8,
    patches: [
      // The server ignores what processes know of counts that it has lost.
      {
        file: 'redis/grant.lua',
        from: 'if floor_epoch >= epoch and floor_window >= window and is_floor_sound then',
        to: 'if false then',
      },
    ],
  },
  'no-settling-pause': {
    seed: 2,
    patches: [
      // After a failover the new primary grants before the processes have pushed what the old one had counted.
      {
        file: 'redis/grant.lua',
        from: 'if grant < 0 or settling then grant = 0 end',
        to: 'if grant < 0 then grant = 0 end',
      },
      {
        file: 'redis/counting-server.ts',
        from: '} else if (read.isSettling) decideUnconfirmed()',
        to: '} else if (read.isSettling && read.serverTimeMs < 0) decideUnconfirmed()',
      },
      {
        file: 'redis/shared-mode.ts',
        from: '(reply.marker !== losses.marker() || reply.isSettling)',
        to: 'reply.marker !== losses.marker()',
      },
      {
        file: 'redis/shared-mode.ts',
        from: 'if (probe.isSettling || marker === undefined || probe.marker !== marker) return',
        to: 'if (marker === undefined || probe.marker !== marker) return',
      },
    ],
  },
  'no-epoch': {
    seed: 10,
    patches: [
      // After an operator's reset, what a process knew before it restores the old count.
      {
        file: 'redis/reset.lua',
        from: 'epoch = math.min(math.max(epoch + 1, now), most)',
        to: '',
      },
    ],
  },
  'lost-addition': {
    seed: 17,
    patches: [
      // What processes admitted alone is never added to the counts.
      {
        file: 'redis/grant.lua',
        from: '    count = count + addition',
        to: '    count = count + 0',
      },
    ],
  },
  'waits-for-no-process': {
    seed: 1720,
    patches: [
      // After a loss the server waits only one second, and not for the processes whose ids it knows.
      {
        file: 'redis/grant.lua',
        from: 'is_waiting = is_waiting or till > now',
        to: "is_waiting = is_waiting or (till > now and id == '0')",
      },
    ],
  },
  'share-renewed': {
    seed: 51,
    patches: [
      // A process gets its share again each time the store comes back.
      {
        file: 'redis/local-shares.ts',
        from: '    current.owed = 0\n    // The count',
        to: '    current.owed = 0\n    current.spent = 0\n    // The count',
      },
    ],
  },
  'share-not-moved': {
    seed: 198,
    patches: [
      // What a process admitted by its own clock is dropped when the store sends its time.
      {
        file: 'redis/local-shares.ts',
        from: 'const isKept = outdated !== undefined && countsIn(window.window, outdated, clock, at)',
        to: 'const isKept = false',
      },
    ],
  },
  'refuses-too-long': {
    seed: 38,
    patches: [
      // A process refuses calls of the next window by the stored count of the last one.
      {
        file: 'redis/seen-counts.ts',
        from: 'const refuseUntil = sentAt + Math.min(resetMs - 1, trustMs)',
        to: 'const refuseUntil = sentAt + 200 + Math.min(resetMs - 1, trustMs)',
      },
    ],
  },
  'asks-twice': {
    seed: 14,
    patches: [
      // A call without an answer is sent again, and counts twice if the first request ran after all.
      {
        file: 'redis/counting-server.ts',
        from: `      onMissed() {
        failed(new DeadlineMissedError())
        decideUnconfirmed()`,
        to: `      onMissed() {
        isDecided = true
        giveBack()
        send(sent, sending)`,
      },
    ],
  },
  'window-goes-back': {
    seed: 1692,
    patches: [
      // A clock that is set back brings an earlier window back, with a count of 0.
      {
        file: 'redis/grant.lua',
        from: '  if window < current then\n    window, count = current, 0',
        to: '  if window ~= current then\n    window, count = current, 0',
      },
    ],
  },
  'counts-not-pushed': {
    seed: 8,
    patches: [
      // After a loss, a process does not push its counts.
      {
        file: 'redis/catch-up.ts',
        from: 'for (const floor of known) {',
        to: "for (const floor of known.filter(({ bucket }) => bucket === '')) {",
      },
    ],
  },
}
