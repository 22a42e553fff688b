import { embeddedSessionSecret } from '../gateway/portal/portal-secrets.ts'
import { embeddedPepper, parsePeppers } from '../gateway/registry/key-mac.ts'
import { fingerprintOfSecret } from '../gateway/registry/key-peppers.ts'
import { readDataFolderSecret } from '../platform/data-folder.ts'
import type { Settings } from '../platform/settings.ts'

/** Fingerprints by secret: `SESSION_SECRET`, and `KEY_PEPPER 1` for each version. */
export type SecretFingerprints = Readonly<Record<string, string>>

/** The settings that name the secrets or where they are kept. */
export type SecretSettings = Pick<
  Settings,
  'keyPepper' | 'sessionSecret' | 'databaseUrl' | 'dataDir'
>

/** Fingerprints of the secrets that stored rows need, as far as this environment has them. */
export async function secretFingerprints(settings: SecretSettings): Promise<SecretFingerprints> {
  const kept = (name: string) =>
    settings.databaseUrl === undefined
      ? readDataFolderSecret(settings.dataDir, name)
      : Promise.resolve(undefined)
  const pepper = settings.keyPepper ?? (await kept(embeddedPepper.name))
  const session = settings.sessionSecret ?? (await kept(embeddedSessionSecret.name))
  const found: Record<string, string> = {}
  if (pepper !== undefined) {
    for (const [version, secret] of parsePeppers(pepper).secrets) {
      found[`KEY_PEPPER ${version}`] = fingerprintOfSecret(secret)
    }
  }
  if (session !== undefined) found['SESSION_SECRET'] = fingerprintOfSecret(session)
  return found
}

/** A secret of an export that this environment lacks, or has another one for. */
export interface UnfitSecret {
  readonly name: string
  readonly isOther: boolean
}

/** Compares the secrets that an export needs with those of this environment. */
export function unfitSecrets(
  needed: SecretFingerprints,
  own: SecretFingerprints,
): readonly UnfitSecret[] {
  return Object.entries(needed)
    .filter(([name, fingerprint]) => own[name] !== fingerprint)
    .map(([name]) => ({ name, isOther: own[name] !== undefined }))
}
