import type { CertificateUse } from '../../../certificates/certificate.ts'
import type { Made } from '../../../certificates/make.ts'
import type { Psd2Role } from '../../../certificates/psd2-role.ts'
import {
  type Certificates,
  certificatesPerUse,
} from '../../../registry/certificates/certificates.ts'
import type { CertificateDefect } from './certificate-defects.ts'
import type { SandboxAuthority } from './sandbox-authority.ts'

/** Test certificates of an application, everything in PEM. The private keys are nowhere else. */
export interface SandboxPair {
  readonly qwac: Made
  readonly qseal: Made
  /** The certificate of the authority that issued both. */
  readonly authority: string
  /** Whether both were added to the application; a pair with a defect is not. */
  readonly isAdded: boolean
}

export interface SandboxPairOptions {
  readonly stores: {
    readonly certificates: Pick<Certificates, 'add' | 'list' | 'remove'>
    readonly sandboxAuthority: SandboxAuthority
  }
  readonly application: { readonly id: string; readonly name: string }
  readonly roles: readonly Psd2Role[]
  readonly defect?: CertificateDefect | undefined
  readonly crlUrl: string
  /** The actor in the audit. */
  readonly by: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Makes a QWAC and a QSealC for an application and adds both. Where the
 * application has two valid certificates for a use already, the older one of the
 * sandbox is removed. So the previous pair still works.
 *
 * @throws {RegistryConflict} certificates-limit: both are of other authorities
 */
export async function makeSandboxPair(options: SandboxPairOptions): Promise<SandboxPair> {
  const { stores, application, roles, defect, crlUrl, by } = options
  const { pem } = await import('../../../certificates/make.ts')
  const { certificate } = await stores.sandboxAuthority.published()
  const issue = (use: CertificateUse) =>
    stores.sandboxAuthority.issue({ application, use, roles, defect, crlUrl, by })
  const pair = { qwac: await issue('tls'), qseal: await issue('signing') }
  if (defect === undefined) {
    await add(options, 'tls', pair.qwac, certificate)
    await add(options, 'signing', pair.qseal, certificate)
  }
  return { ...pair, authority: pem('CERTIFICATE', certificate), isAdded: defect === undefined }
}

async function add(
  { stores: { certificates }, application, by, now }: SandboxPairOptions,
  use: CertificateUse,
  made: Made,
  authority: Buffer,
): Promise<void> {
  const { oneLine, readCertificate } = await import('../../../certificates/certificate.ts')
  const issuer = oneLine(readCertificate(authority).x509.subject)
  const valid = (await certificates.list({ applicationId: application.id })).filter(
    (one) => one.use === use && one.validUntil.getTime() > now(),
  )
  const oldest = valid.find((one) => one.issuer === issuer)
  if (valid.length >= certificatesPerUse && oldest !== undefined) {
    await certificates.remove({ id: oldest.id, by })
  }
  await certificates.add({
    applicationId: application.id,
    use,
    name: `Sandbox ${new Date(now()).toISOString().slice(0, 10)}`,
    certificate: Buffer.from(made.certificate.trim()),
    by,
  })
}
