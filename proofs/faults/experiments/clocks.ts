import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from '../../../test/support/database.ts'
import { places } from '../places.ts'
import type { RigOptions } from '../rig.ts'
import type { Fault } from '../run-fault.ts'

/** What shifts the clock of a process, from Debian's `libfaketime`. */
const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** The clocks of the gateways, each of which can be set. */
export interface ShiftedClocks {
  readonly env: NonNullable<RigOptions['env']>
  /** Sets every clock this many seconds ahead, and resolves when all gateways have noticed. */
  shift(seconds: readonly number[]): Promise<void>
}

/** A process looks so often how far its clock is shifted. */
const noticedMs = 1200

export function createShiftedClocks(t: Test): ShiftedClocks {
  if (library === undefined) throw new Error('libfaketime is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'tg-clocks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const fileOf = (gateway: number): string => join(folder, String(gateway))
  function write(seconds: readonly number[]): void {
    for (const [gateway, ahead] of seconds.entries()) {
      writeFileSync(fileOf(gateway), `${ahead < 0 ? '' : '+'}${ahead}`)
    }
  }
  write(places.map(() => 0))
  return {
    env: (gateway) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: fileOf(gateway),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
    async shift(seconds) {
      write(seconds)
      await delay(noticedMs)
    },
  }
}

/** Clocks that are wrong or step; what counts is the clock of the store alone. */
export function clockFaults({ shift }: ShiftedClocks): Fault[] {
  const base = { id: 'R9', isOutage: false, lastsMs: [2500, 3500] } as const
  return [
    {
      ...base,
      title: 'gateways at −90 s and +90 s, one steps +1 h, then −1 h',
      begin: () => shift([-90, 90, 3600, 0]),
      end: () => shift([-90, 90, -3600, 0]),
    },
    {
      // What matters is how far they are apart.
      ...base,
      title: 'the store 30 s ahead of every gateway',
      begin: () => shift([-30, -30, -30, -30]),
      end: async () => undefined,
    },
  ]
}
