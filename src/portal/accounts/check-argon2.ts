import { argon2 } from 'node:crypto'
import { promisify } from 'node:util'
import { bundledNodeVersion } from '../../platform/process/package-version.ts'

/** RFC 9106, section 5.3: the test vector of argon2id, with 32 KiB of memory. */
const vector = {
  message: Buffer.alloc(32, 1),
  nonce: Buffer.alloc(16, 2),
  secret: Buffer.alloc(8, 3),
  associatedData: Buffer.alloc(12, 4),
  memory: 32,
  passes: 3,
  parallelism: 4,
  tagLength: 32,
}
const tagOfVector = '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659'

/** The Node of this process cannot hash passwords. */
export class Argon2Missing extends Error {
  override readonly name = 'Argon2Missing'

  constructor(cause: unknown) {
    super(
      `the portal hashes passwords with crypto.argon2, which does not work in this Node (${process.version}, OpenSSL ${process.versions.openssl}): run the Node that comes with Tollgate, or one of nodejs.org, ${bundledNodeVersion()} or newer`,
      { cause },
    )
  }
}

/**
 * Checks at startup that this Node can hash passwords: one that was built with
 * another OpenSSL than Node's own may lack argon2.
 *
 * @throws {Argon2Missing}
 */
export async function checkArgon2(): Promise<void> {
  const tag = await promisify(argon2)('argon2id', vector).catch((cause: unknown) => {
    throw new Argon2Missing(cause)
  })
  if (tag.toString('hex') !== tagOfVector)
    throw new Argon2Missing('it computes another hash than RFC 9106')
}
