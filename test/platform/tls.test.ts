import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import t from 'tap'
import { parseKeyPair } from '../../src/platform/http/tls.ts'
import { createTestAuthority } from '../support/certificates.ts'

const authority = createTestAuthority(t)
const ours = authority.issue()

t.test(
  'a pair is known by its leaf first, with the time in which its whole chain is valid',
  async (t) => {
    const pair = parseKeyPair([ours.cert, ours.key])
    t.equal(pair.expiresAt, Date.parse(new X509Certificate(ours.cert).validTo))
    const until = pair.expiresAt - Date.now()
    t.ok(until > 29 * 86_400_000 && until <= 30 * 86_400_000)
    const [, middle = ''] =
      /(-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\s*)$/.exec(ours.cert) ?? []
    t.equal(pair.validFrom, Date.parse(new X509Certificate(ours.cert).validFrom))
    t.ok(Date.parse(new X509Certificate(middle).validTo) > pair.expiresAt)
  },
)

t.test(
  'a pair that no listener could use is refused, with the reason and nothing of the key',
  async (t) => {
    const other = authority.issue()
    const [leaf = '', middle = ''] = ours.cert.split(/(?<=-----END CERTIFICATE-----\n)/)
    const encrypted = execFileSync(
      'openssl',
      ['pkey', '-in', ours.keyFile, '-aes256', '-passout', 'pass:secret'],
      { encoding: 'utf8' },
    )
    const short = execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', '-subj', '/CN=short', '-keyout', '-'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const refused: readonly [string, string, string][] = [
      ['', ours.key, 'the certificate file contains no PEM certificate'],
      [ours.key, ours.cert, 'the certificate file contains no PEM certificate'],
      [leaf.replace(/\n[A-Za-z]/, '\n!'), ours.key, 'certificate 1 of the file cannot be read'],
      [ours.cert, '', 'the key file contains no PEM private key'],
      [
        ours.cert,
        encrypted,
        'the private key is encrypted; Tollgate reads keys without a passphrase (openssl pkey -in … -out …)',
      ],
      [
        ours.cert,
        other.key,
        'the private key does not belong to the first certificate of the file',
      ],
      [
        middle + leaf,
        ours.key,
        'the private key does not belong to the first certificate of the file',
      ],
      [
        leaf + authority.ca,
        ours.key,
        "certificate 2 of the file did not issue certificate 1: put the server's certificate first, then each issuer",
      ],
      [short, short, 'OpenSSL does not accept the certificate and key: ee key too small'],
    ]
    for (const [cert, key, message] of refused) {
      t.throws(() => parseKeyPair([cert, key]), { message }, message)
    }
    t.doesNotThrow(() => parseKeyPair([ours.cert + authority.ca, ours.key]), 'with the root')
    t.doesNotThrow(() => parseKeyPair([`Bag Attributes\n${ours.cert}`, ours.key]), 'with remarks')
  },
)
