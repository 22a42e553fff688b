import type { Patch } from './modules.ts'

/** Faults to plant in the counters, one at a time. The simulation must find every one. */
export const plantedBugs: Readonly<Record<string, readonly Patch[]>> = {
  'grants-while-settling': [
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
  'waits-for-no-process': [
    // After a loss the server waits only one second, and not for the processes whose ids it knows.
    {
      file: 'redis/grant.lua',
      from: 'is_waiting = is_waiting or till > now',
      to: "is_waiting = is_waiting or (till > now and id == '0')",
    },
  ],
  'share-renewed': [
    // A process gets its share again each time the store comes back.
    {
      file: 'redis/local-shares.ts',
      from: '    current.owed = 0\n    // The count',
      to: '    current.owed = 0\n    current.spent = 0\n    // The count',
    },
  ],
  'share-not-moved': [
    // What a process admitted by its own clock is dropped when the store sends its time.
    {
      file: 'redis/local-shares.ts',
      from: 'const isKept = outdated !== undefined && countsIn(window.window, outdated, clock, at)',
      to: 'const isKept = false',
    },
  ],
  'refuses-too-long': [
    // A process refuses calls of the next window by the stored count of the last one.
    {
      file: 'redis/seen-counts.ts',
      from: 'const refuseUntil = sentAt + Math.min(resetMs - 1, trustMs)',
      to: 'const refuseUntil = sentAt + 200 + Math.min(resetMs - 1, trustMs)',
    },
  ],
  'asks-twice': [
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
  'window-goes-back': [
    // A clock that is set back brings an earlier window back, with a count of 0.
    {
      file: 'redis/grant.lua',
      from: '  if window < current then\n    window, count = current, 0',
      to: '  if window ~= current then\n    window, count = current, 0',
    },
  ],
  'counts-not-pushed': [
    // After a loss, a process does not push its counts.
    {
      file: 'redis/catch-up.ts',
      from: 'for (const floor of known) {',
      to: "for (const floor of known.filter(({ bucket }) => bucket === '')) {",
    },
  ],
}
