import { readDataFolderSecret } from '../platform/database/data-folder.ts'
import { splitSecrets } from '../platform/settings/secret-list.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { embeddedSessionSecret } from '../portal/sealing/portal-secrets.ts'
import { embeddedPepper, parsePeppers } from '../registry/keys/key-mac.ts'
import { fingerprintOfSecret } from '../registry/keys/key-peppers.ts'

/** Fingerprints by secret: `SESSION_SECRET`, and `KEY_PEPPER 1` for each version. */
export type SecretFingerprints = Readonly<Record<string, string>>

/** The settings that name the secrets or where they are kept. */
export type SecretSettings = Pick<
  Settings,
  'keyPepper' | 'sessionSecret' | 'databaseUrl' | 'dataDir'
>

/** What this environment has: each secret alone, the one in use first. */
export interface OwnFingerprints {
  readonly sessions: readonly string[]
  readonly peppers: ReadonlyMap<number, string>
}

/** Fingerprints of the secrets that stored rows may need, as far as this environment has them. */
export async function ownFingerprints(settings: SecretSettings): Promise<OwnFingerprints> {
  const kept = (name: string) =>
    settings.databaseUrl === undefined
      ? readDataFolderSecret(settings.dataDir, name)
      : Promise.resolve(undefined)
  const pepper = settings.keyPepper ?? (await kept(embeddedPepper.name))
  const session = settings.sessionSecret ?? (await kept(embeddedSessionSecret.name))
  const secrets = pepper === undefined ? [] : [...parsePeppers(pepper).secrets]
  return {
    sessions: session === undefined ? [] : splitSecrets(session).map(fingerprintOfSecret),
    peppers: new Map(
      secrets.map(([version, secret]) => [version, fingerprintOfSecret(secret)] as const),
    ),
  }
}

/**
 * What an export needs wherever it is imported: the secrets in use, and the
 * peppers of keys that work. A secret that is about to go or to come is not
 * needed.
 *
 * @param versions of the peppers under which working keys are stored
 */
export function neededFingerprints(
  { sessions, peppers }: OwnFingerprints,
  versions: readonly number[],
): SecretFingerprints {
  const needed: Record<string, string> = {}
  const [current] = peppers.keys()
  for (const [version, fingerprint] of peppers) {
    if (version !== current && !versions.includes(version)) continue
    needed[`KEY_PEPPER ${version}`] = fingerprint
  }
  const [session] = sessions
  if (session !== undefined) needed['SESSION_SECRET'] = session
  return needed
}

/** A secret of an export that this environment lacks, or has another one for. */
export interface UnfitSecret {
  readonly name: string
  readonly isOther: boolean
}

/** Compares the secrets that an export needs with those of this environment, which may have more. */
export function unfitSecrets(
  needed: SecretFingerprints,
  { sessions, peppers }: OwnFingerprints,
): readonly UnfitSecret[] {
  const own = new Map<string, readonly string[]>([
    ['SESSION_SECRET', sessions],
    ...[...peppers].map(([version, one]) => [`KEY_PEPPER ${version}`, [one]] as const),
  ])
  return Object.entries(needed).flatMap(([name, fingerprint]) => {
    const found = own.get(name) ?? []
    return found.includes(fingerprint) ? [] : [{ name, isOther: found.length > 0 }]
  })
}
