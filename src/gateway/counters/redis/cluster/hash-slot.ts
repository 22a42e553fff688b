/** Number of slots of every Redis Cluster. */
export const slots = 16_384

/**
 * The slot of a key: CRC16 (XMODEM) of its hash tag, or of the whole key if
 * there is no tag, modulo 16,384 (Redis Cluster specification, "Key
 * distribution model"). Worked example: `123456789` has CRC16 0x31C3 and is
 * in slot 12,739.
 */
export function hashSlot(key: string): number {
  const open = key.indexOf('{')
  const close = open === -1 ? -1 : key.indexOf('}', open + 1)
  const tag = close > open + 1 ? key.slice(open + 1, close) : key
  let crc = 0
  for (const byte of Buffer.from(tag)) {
    crc = ((crc << 8) ^ (table[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff
  }
  return crc % slots
}

/**
 * The smallest decimal number that, as a hash tag, puts a key into the slot.
 * Tries about 16,000 numbers, so only for rare use.
 */
export function tagOfSlot(slot: number): string {
  for (let number = 0; ; number += 1) {
    if (hashSlot(`{${number}}`) === slot) return String(number)
  }
}

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})
