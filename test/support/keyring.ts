import type { Keyring } from '../../src/portal/sealing/keyring.ts'

/** A keyring of keys that never change, each 32 times one byte; the first is the newest. */
export function testKeyring(first: number, ...others: number[]): Keyring {
  const newest = Buffer.alloc(32, first)
  return { newest, all: [newest, ...others.map((byte) => Buffer.alloc(32, byte))] }
}
