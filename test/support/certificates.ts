import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ListenerTls, parseKeyPair } from '../../src/platform/http/tls.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import type { Test } from './database.ts'

/** A certificate with its key: the files of a listener or of a client, and their contents. */
export interface IssuedCertificate {
  /** The leaf, then the intermediate authority if there is one. */
  readonly certFile: string
  readonly keyFile: string
  readonly cert: string
  readonly key: string
}

export interface IssueOptions {
  /** (Default: `localhost`) */
  readonly commonName?: string
  /** (Default: 30) Negative: it has expired. */
  readonly days?: number
  /** (Default: `ec`) */
  readonly kind?: 'ec' | 'rsa'
}

/** An authority of tests with one intermediate authority, made by openssl. */
export interface TestAuthority {
  readonly caFile: string
  readonly ca: string
  /** For `localhost`, 127.0.0.1 and clients. */
  issue(options?: IssueOptions): IssuedCertificate
  /** Revokes what it issued and returns the lists of both authorities. */
  revoke(...revoked: readonly IssuedCertificate[]): string
}

const newKey = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['-newkey', 'rsa:2048'],
}

const config = `
[ca]
default_ca = here
[here]
database = index.txt
crlnumber = crlnumber
default_md = sha256
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[leaf]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature,keyEncipherment
extendedKeyUsage = serverAuth,clientAuth
subjectAltName = DNS:localhost,IP:127.0.0.1
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
`

/** TLS of a listener under test. */
export interface TestTls extends ListenerTls {
  readonly failures: readonly Error[]
  /** Changes the certificate as a reload does. */
  use(certificate: IssuedCertificate): void
}

export function createTestTls(
  certificate: IssuedCertificate,
  { asksForCertificate = false } = {},
): TestTls {
  const failures: Error[] = []
  const pairOf = ({ cert, key }: IssuedCertificate) => parseKeyPair([cert, key])
  const copy = createWatchedCopy(pairOf(certificate))
  return {
    ...copy,
    asksForCertificate,
    failures,
    handshakeFailed: (error) => void failures.push(error),
    use: (changed) => copy.take(pairOf(changed)),
  }
}

/** Makes an authority; its files go with the test. */
export function createTestAuthority(t: Test, name = 'Test Root'): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'tg-ca-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const path = (file: string): string => join(folder, file)
  const read = (file: string): string => readFileSync(path(file), 'utf8')
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  writeFileSync(path('openssl.cnf'), config)
  let issued = 0

  function sign(
    made: string,
    by: string,
    extensions: string,
    days: number,
    subject: string,
    kind: 'ec' | 'rsa',
  ): void {
    const request = ['-config', 'openssl.cnf', '-subj', subject, '-nodes']
    openssl(
      'req',
      '-new',
      ...newKey[kind],
      ...request,
      '-keyout',
      `${made}.key`,
      '-out',
      `${made}.csr`,
    )
    // Whole days from now on; openssl takes a negative number for a certificate that has expired.
    const signer =
      by === made
        ? ['-signkey', `${by}.key`]
        : ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial']
    const details = ['-extfile', 'openssl.cnf', '-extensions', extensions, '-days', String(days)]
    openssl('x509', '-req', '-in', `${made}.csr`, ...signer, ...details, '-out', `${made}.crt`)
  }

  sign('root', 'root', 'authority', 365, `/O=Test/CN=${name}`, 'ec')
  sign('middle', 'root', 'authority', 365, `/O=Test/CN=${name} Intermediate`, 'ec')

  return {
    caFile: path('root.crt'),
    ca: read('root.crt'),
    issue({ commonName = 'localhost', days = 30, kind = 'ec' } = {}) {
      issued += 1
      const made = `leaf-${issued}`
      sign(made, 'middle', 'leaf', days, `/O=Test/CN=${commonName}`, kind)
      const certFile = path(`${made}.chain.pem`)
      writeFileSync(certFile, read(`${made}.crt`) + read('middle.crt'))
      const keyFile = path(`${made}.key`)
      return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: read(`${made}.key`) }
    },
    revoke(...revoked) {
      writeFileSync(path('index.txt'), '')
      writeFileSync(path('crlnumber'), '01')
      const middle = ['-config', 'openssl.cnf', '-cert', 'middle.crt', '-keyfile', 'middle.key']
      for (const { certFile } of revoked) openssl('ca', ...middle, '-revoke', certFile)
      openssl('ca', ...middle, '-gencrl', '-crldays', '30', '-out', 'middle.crl')
      writeFileSync(path('index.txt'), '')
      const root = ['-config', 'openssl.cnf', '-cert', 'root.crt', '-keyfile', 'root.key']
      openssl('ca', ...root, '-gencrl', '-crldays', '30', '-out', 'root.crl')
      return read('middle.crl') + read('root.crl')
    },
  }
}
