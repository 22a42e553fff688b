import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP, Password Storage Cheat Sheet (2023): argon2id with 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltLength = 16
const tagLength = 32

/** Version 1.3 of argon2id in PHC notation; other variants were never stored. */
const notation = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const derive = promisify(argon2)

/**
 * Hashes a password with a new salt, in PHC notation
 * (`$argon2id$v=19$m=…,t=…,p=…$salt$tag`). A thread of Node's pool does the
 * work.
 */
export async function hashPassword(password: string | Buffer): Promise<string> {
  const nonce = randomBytes(saltLength)
  const tag = await derive('argon2id', { ...cost, message: password, nonce, tagLength })
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/**
 * Whether a hash is of a password, at the cost that the hash names.
 * @throws if it is not in the notation of {@link hashPassword}
 */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, stored] = notation.exec(hash) ?? []
  if (salt === undefined || stored === undefined) throw new Error('a password hash is unreadable')
  const expected = Buffer.from(stored, 'base64')
  const tag = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(tag, expected)
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
