import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

// Loaded before a program whose output must be the same every time: its clock stands still, and what PGlite takes for
// random bytes are the same ones.

const now = Date.UTC(2026, 0, 1)

globalThis.Date = class extends Date {
  constructor(...args: [] | [number | string]) {
    if (args.length === 0) super(now)
    else super(...args)
  }

  static override now(): number {
    return now
  }
} as DateConstructor
performance.now = () => 0
crypto.randomFillSync = ((buffer: ArrayBufferView) => {
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).fill(1)
  return buffer
}) as typeof crypto.randomFillSync
syncBuiltinESMExports()
