import { crc32 } from 'node:zlib'

/**
 * The parts of an API key:
 *
 * ```
 * tg_  7hK2pQ9xLmA4  _  3vN…(43)…Zq8  0aB9xK
 *     public id        secret        checksum
 * ```
 *
 * The id (12 base62 characters, 71 bits) names the key in lists, logs and the
 * database. The secret is 43 uniformly random base62 characters (62^43 >
 * 2^256). The checksum is the CRC-32 (IEEE 802.3) of everything before it, as 6
 * base62 digits. With it the gateway rejects a mistyped, truncated or invented
 * key without asking the database, and secret scanners recognise Tollgate's
 * keys. A key has 65 characters, none of which needs escaping.
 */
export interface ParsedKey {
  readonly id: string
  /** The whole key; never logged, never stored. */
  readonly text: string
}

/** Generates a key. `randomBytes` returns the given number of unpredictable bytes. */
export function generateKey(randomBytes: (size: number) => Buffer): ParsedKey {
  const id = drawBase62(12, randomBytes)
  const body = `tg_${id}_${drawBase62(43, randomBytes)}`
  return { id, text: body + checksum(body) }
}

/** Splits a key; undefined when it is not one: wrong length, prefix, character or checksum. */
export function parseKey(text: string): ParsedKey | undefined {
  if (text.length !== keyLength || !keyShape.test(text)) return undefined
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
  return { id: idOf(text), text }
}

/** The part of a text where a key has its id, even if the text is not a key. */
export function idOf(text: string): string {
  return text.slice(3, 15)
}

/** The part of a key that may always be shown: `tg_7hK2pQ9xLmA4_…9xKd`. */
export function keyHint(id: string, lastFour: string): string {
  return `tg_${id}_…${lastFour}`
}

const checksumLength = 6
const keyLength = 3 + 12 + 1 + 43 + checksumLength
const keyShape = /^tg_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function drawBase62(length: number, randomBytes: (size: number) => Buffer): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 * 62: the eight values above would make some characters more likely.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
    }
  }
  return text
}
