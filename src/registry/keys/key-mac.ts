import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Watched } from '../../platform/settings/watched-files.ts'

/** Secrets for the MACs of stored keys, by version; kept outside the database. They may change while the process runs. */
export interface Peppers {
  /** The version for new keys. */
  readonly current: number
  /** Another map after each change. */
  readonly secrets: ReadonlyMap<number, string>
}

/** How the data folder stores the pepper when KEY_PEPPER is not set (a secret of the DataFolder). */
export const embeddedPepper = {
  name: 'key-pepper',
  generate: (): string => randomBytes(32).toString('base64url'),
} as const

/** KEY_PEPPER is malformed; the message says what is expected and never repeats the value. */
export class PepperInvalid extends Error {
  constructor(reason: string) {
    super(
      `KEY_PEPPER ${reason}; it is one secret of at least ${secretLengthMin} characters, or several with their versions, the newest first (e.g. 2:…,1:…)`,
    )
    this.name = 'PepperInvalid'
  }
}

/**
 * Reads the setting `KEY_PEPPER`: one secret (version 1), or
 * `<version>:<secret>,<version>:<secret>`, where new keys use the first secret
 * and the others still verify older keys. To change the pepper, put a new
 * version behind the others, and in front once all processes have it. Keys move
 * to it when they are used; a start that lacks a version that keys still need
 * fails and says so (docs/rotation.md).
 *
 * @throws {PepperInvalid}
 */
export function parsePeppers(setting: string): Peppers {
  const secrets = new Map<number, string>()
  for (const part of setting.split(',')) {
    const match = /^(?:([1-9]\d{0,5}):)?(.+)$/s.exec(part.trim())
    const version = Number(match?.[1] ?? 1)
    const secret = match?.[2] ?? ''
    if (secret.length < secretLengthMin) throw new PepperInvalid('has a secret that is too short')
    if (secrets.has(version)) throw new PepperInvalid(`names version ${version} twice`)
    secrets.set(version, secret)
  }
  const [current = 1] = secrets.keys()
  return { current, secrets }
}

/** Peppers that follow the setting. Each change must be valid. */
export function livePeppers(setting: Pick<Watched<string>, 'current' | 'onChange'>): Peppers {
  let peppers = parsePeppers(setting.current())
  setting.onChange((text) => {
    peppers = parsePeppers(text)
  })
  return {
    get current() {
      return peppers.current
    },
    get secrets() {
      return peppers.secrets
    },
  }
}

/** HMAC-SHA-256 of the whole key, its public id included. Undefined for an unknown version. */
export function keyMac(peppers: Peppers, version: number, keyText: string): Buffer | undefined {
  const secret = peppers.secrets.get(version)
  return secret === undefined ? undefined : createHmac('sha256', secret).update(keyText).digest()
}

/** Compares in constant time. Both have 32 bytes. */
export function sameMac(one: Buffer, other: Buffer): boolean {
  return timingSafeEqual(one, other)
}

const secretLengthMin = 32
