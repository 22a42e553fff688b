import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Certificate, readCertificate } from '../../src/certificates/certificate.ts'
import type { Test } from './database.ts'

/** A certificate that openssl made. */
export interface TestCertificate {
  readonly pem: string
  /** PKCS #8, PEM. */
  readonly key: string
  readonly certificate: Certificate
  /** SHA-256, base64url. */
  readonly thumbprint: string
  /** As `Client-Cert` has it (RFC 9440). */
  readonly field: string
}

export interface TestCertificateOptions {
  /** (Default: a TPP with an authorisation number) */
  readonly subject?: string
  /** Lines of openssl's x509v3_config, with further sections (default: those of a QWAC with PSP_AI). */
  readonly extensions?: readonly string[]
  /** From today (default: 90). */
  readonly days?: number
  /** Options of `openssl req` (default: `-newkey ec` with P-256). */
  readonly newKey?: readonly string[]
  /** (Default: sha256) */
  readonly digest?: string
}

/** An authority that openssl runs. */
export interface TestAuthority extends TestCertificate {
  issue(options?: TestCertificateOptions): TestCertificate
  /** An authority below this one. */
  authority(options?: TestCertificateOptions): TestAuthority
  /** A CRL in PEM. @param hours until the next one (default: 24) @param reason of all entries, by its name in RFC 5280 */
  revocationList(
    revoked?: readonly TestCertificate[],
    options?: { hours?: number; reason?: string },
  ): string
}

/** Extensions of an authority. */
export const authorityExtensions = [
  'basicConstraints = critical, CA:TRUE',
  'keyUsage = critical, keyCertSign, cRLSign',
  'subjectKeyIdentifier = hash',
]

/** Extensions of a QWAC with these PSD2 roles, as ETSI TS 119 495 wants them. */
export function qwacExtensions(...roles: readonly ('AS' | 'PI' | 'AI' | 'IC')[]): string[] {
  return [
    'basicConstraints = critical, CA:FALSE',
    'keyUsage = critical, digitalSignature',
    'extendedKeyUsage = clientAuth, serverAuth',
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid',
    ...qcStatements('0.4.0.1862.1.6.3', roles),
  ]
}

/** Extensions of a QSealC. */
export function qsealExtensions(...roles: readonly ('AS' | 'PI' | 'AI' | 'IC')[]): string[] {
  return [
    'basicConstraints = critical, CA:FALSE',
    'keyUsage = critical, digitalSignature, nonRepudiation',
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid',
    ...qcStatements('0.4.0.1862.1.6.2', roles),
  ]
}

const arcs = { AS: 1, PI: 2, AI: 3, IC: 4 } as const

function qcStatements(qcType: string, roles: readonly (keyof typeof arcs)[]): string[] {
  return [
    '1.3.6.1.5.5.7.1.3 = ASN1:SEQUENCE:statements',
    '[statements]',
    'compliance = SEQUENCE:compliance',
    'type = SEQUENCE:type',
    'psd2 = SEQUENCE:psd2',
    '[compliance]',
    'id = OID:0.4.0.1862.1.1',
    '[type]',
    'id = OID:0.4.0.1862.1.6',
    'info = SEQUENCE:types',
    '[types]',
    `one = OID:${qcType}`,
    '[psd2]',
    'id = OID:0.4.0.19495.2',
    'info = SEQUENCE:psd2info',
    '[psd2info]',
    'roles = SEQUENCE:roles',
    'name = UTF8:Polish Financial Supervision Authority',
    'id = UTF8:PL-PFSA',
    '[roles]',
    ...roles.map((role) => `${role} = SEQUENCE:role${role}`),
    ...roles.flatMap((role) => [
      `[role${role}]`,
      `id = OID:0.4.0.19495.1.${arcs[role]}`,
      `name = UTF8:PSP_${role}`,
    ]),
  ]
}

let made = 0

/** A new self-signed authority in a folder of the test. */
export function createAuthority(t: Test, options: TestCertificateOptions = {}): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'tg-authority-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return authorityIn(folder, undefined, options)
}

function authorityIn(
  folder: string,
  issuer: string | undefined,
  options: TestCertificateOptions,
): TestAuthority {
  const subject = options.subject ?? `/CN=Authority ${made + 1}`
  const own = make(folder, issuer, { extensions: authorityExtensions, ...options, subject })
  return {
    ...own,
    issue: (wanted = {}) => make(folder, own.path, wanted),
    authority: (wanted = {}) =>
      authorityIn(folder, own.path, {
        extensions: [...authorityExtensions, 'authorityKeyIdentifier = keyid'],
        ...wanted,
      }),
    revocationList(revoked = [], { hours = 24, reason } = {}) {
      const base = join(folder, `list-${++made}`)
      const stamp = (at: number) => new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)
      const index = revoked.map(({ certificate: { x509, validUntil } }) =>
        [
          'R',
          `${stamp(validUntil)}Z`,
          `${stamp(Date.now())}Z${reason === undefined ? '' : `,${reason}`}`,
          x509.serialNumber,
          'unknown',
          '/CN=x',
        ].join('\t'),
      )
      writeFileSync(`${base}.txt`, index.map((line) => `${line}\n`).join(''))
      writeFileSync(
        `${base}.cnf`,
        `[ca]\ndefault_ca = own\n[own]\ndatabase = ${base}.txt\ndefault_md = sha256\n`,
      )
      const signer = ['-cert', `${own.path}.pem`, '-keyfile', `${own.path}.key`]
      const due = ['-crlhours', String(hours)]
      const files = ['-config', `${base}.cnf`, '-out', `${base}.pem`]
      openssl(['ca', '-gencrl', ...signer, ...due, ...files])
      return readFileSync(`${base}.pem`, 'utf8')
    },
  }
}

function make(
  folder: string,
  issuer: string | undefined,
  options: TestCertificateOptions,
): TestCertificate & { readonly path: string } {
  const path = join(folder, String(++made))
  const {
    subject = '/C=PL/O=Example TPP/organizationIdentifier=PSDPL-PFSA-1234567890/CN=tpp.example',
    extensions = qwacExtensions('AI'),
    days = 90,
    newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    digest = 'sha256',
  } = options
  writeFileSync(
    `${path}.cnf`,
    `[req]\ndistinguished_name = name\nstring_mask = utf8only\n[name]\n[own]\n${extensions.join('\n')}\n`,
  )
  openssl([
    'req',
    '-x509',
    '-new',
    ...newKey,
    '-nodes',
    `-${digest}`,
    '-days',
    String(days),
    '-subj',
    subject,
    '-set_serial',
    `0x${(0x10000 + made).toString(16)}`,
    '-config',
    `${path}.cnf`,
    '-extensions',
    'own',
    '-keyout',
    `${path}.key`,
    '-out',
    `${path}.pem`,
    ...(issuer === undefined ? [] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`]),
  ])
  const pem = readFileSync(`${path}.pem`, 'utf8')
  return { path, ...described(pem), key: readFileSync(`${path}.key`, 'utf8') }
}

/** What tests ask of a certificate in PEM. */
export function described(pem: string): Omit<TestCertificate, 'key'> {
  const certificate = readCertificate(Buffer.from(pem))
  const field = `:${new X509Certificate(pem).raw.toString('base64')}:`
  return { pem, certificate, thumbprint: certificate.thumbprint, field }
}

/** Runs openssl and returns its output. @throws with what it wrote */
export function openssl(args: readonly string[], input = ''): string {
  return execFileSync('openssl', args, { encoding: 'utf8', input, stdio: 'pipe' })
}

/** Whether `openssl verify` accepts a certificate as that of a TLS client, and what it says. */
export function opensslVerify(
  t: Test,
  options: {
    readonly pem: string
    readonly anchors: readonly string[]
    readonly intermediates?: readonly string[]
    readonly lists?: readonly string[]
    /** Milliseconds since 1970. */
    readonly at: number
  },
): { readonly isValid: boolean; readonly text: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tg-verify-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = (name: string, texts: readonly string[]): string => {
    writeFileSync(join(folder, name), texts.join('\n'))
    return join(folder, name)
  }
  const { pem, anchors, intermediates = [], lists, at } = options
  const { status, stdout, stderr } = spawnSync(
    'openssl',
    [
      'verify',
      '-auth_level',
      '2',
      '-purpose',
      'sslclient',
      '-partial_chain',
      '-no-CApath',
      '-no-CAstore',
      '-attime',
      String(Math.floor(at / 1000)),
      '-CAfile',
      file('anchors.pem', anchors),
      ...(intermediates.length === 0 ? [] : ['-untrusted', file('others.pem', intermediates)]),
      ...(lists === undefined ? [] : ['-crl_check_all', '-CRLfile', file('lists.pem', lists)]),
      file('certificate.pem', [pem]),
    ],
    { encoding: 'utf8' },
  )
  return { isValid: status === 0, text: stdout + stderr }
}
