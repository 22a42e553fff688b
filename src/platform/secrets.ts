import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { DataFolder } from './data-folder.ts'
import type { Settings } from './settings.ts'

/** The secrets of a process, given or generated. */
export interface Secrets {
  readonly keyPepper: string
  /** Ed25519, PKCS #8 PEM. */
  readonly identityPrivateKey: string
}

/** Names under which generated secrets are kept in the data folder. */
export const secretNames = { keyPepper: 'key-pepper', identityPrivateKey: 'identity-private-key' }

/** Takes secrets from the settings; what they lack is read from, or generated into, the data folder. */
export async function openSecrets(
  settings: Settings,
  dataFolder: DataFolder | undefined,
): Promise<Secrets> {
  const kept = async (name: string, generate: () => string): Promise<string> => {
    if (dataFolder === undefined) throw new Error(`no data folder to keep "${name}" in`)
    return dataFolder.secret(name, generate)
  }
  return {
    keyPepper:
      settings.keyPepper ??
      (await kept(secretNames.keyPepper, () => randomBytes(32).toString('base64url'))),
    identityPrivateKey:
      settings.identityPrivateKey ?? (await kept(secretNames.identityPrivateKey, generateKey)),
  }
}

function generateKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}
