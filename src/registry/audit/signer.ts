import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Peppers } from '../keys/key-mac.ts'

/** Public keys by their id. */
export type AuditKeys = ReadonlyMap<string, KeyObject>

/** A key that signs links. */
export interface AuditKey {
  readonly id: string
  /** @returns 64 octets */
  sign(text: Buffer): Buffer
}

/** Signs the chain over the audit (Ed25519, RFC 8032). Follows changed peppers. */
export interface AuditSigner extends AuditKey {
  /**
   * The key that signs after a link of `id`: the own one, or the key of that
   * link if it comes from a newer version of the pepper that this process has.
   */
  after(id: string | null): AuditKey
  /** Public keys of this secret and, while a pepper is being replaced, of the others. */
  readonly publicKeys: AuditKeys
}

/**
 * Derives the signing key from each pepper (HKDF-SHA-256, RFC 5869): every
 * serving process has the pepper, and the database does not. So an attacker who can
 * write to the database can break the chain, but cannot make another one that
 * passes.
 */
export function createAuditSigner(peppers: Peppers): AuditSigner {
  let { secrets } = peppers
  let derived = deriveKeys(peppers)
  function now(): ReturnType<typeof deriveKeys> {
    if (secrets !== peppers.secrets) {
      secrets = peppers.secrets
      derived = deriveKeys(peppers)
    }
    return derived
  }
  return {
    get id() {
      return now().own.id
    },
    sign: (text) => now().own.sign(text),
    after(id) {
      const { own, byId } = now()
      const other = id === null ? undefined : byId.get(id)
      return other !== undefined && other.version > own.version ? other : own
    },
    get publicKeys() {
      return now().publicKeys
    },
  }
}

function deriveKeys({ current, secrets }: Peppers) {
  const keys = [...secrets].map(([version, secret]) => {
    const key = deriveKey(secret)
    const publicKey = createPublicKey(key)
    const id = idOfAuditKey(publicKey)
    return { version, id, publicKey, sign: (text: Buffer) => sign(null, text, key) }
  })
  const own = keys.find(({ version }) => version === current)
  if (own === undefined) throw new Error('the current pepper is missing')
  const byId = new Map(keys.map((key) => [key.id, key]))
  return { own, byId, publicKeys: new Map(keys.map(({ id, publicKey }) => [id, publicKey])) }
}

/** First 16 hexadecimal digits of the SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
export function idOfAuditKey(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}

/** What a signature proves. */
export type SignatureState = 'valid' | 'invalid' | 'unknown-key'

export function judgeSignature(
  keys: AuditKeys,
  text: Buffer,
  { signature, signer }: { readonly signature: Buffer; readonly signer: string },
): SignatureState {
  const key = keys.get(signer)
  if (key === undefined) return 'unknown-key'
  return verify(null, text, key, signature) ? 'valid' : 'invalid'
}

/** What PKCS #8 puts before the 32 octets of an Ed25519 private key (RFC 8410, 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

function deriveKey(secret: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'tollgate audit signature', 32))
  return createPrivateKey({
    key: Buffer.concat([pkcs8Head, seed]),
    format: 'der',
    type: 'pkcs8',
  })
}
