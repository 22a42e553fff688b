import type { DataFolder } from '../platform/data-folder.ts'

/** Returns a secret from the settings. If they do not set one, generates it once and keeps it in the data folder. */
export async function openSecret(
  given: string | undefined,
  dataFolder: DataFolder | undefined,
  kept: { readonly name: string; readonly generate: () => string },
): Promise<string> {
  const secret = given ?? (await dataFolder?.secret(kept.name, kept.generate))
  if (secret === undefined) throw new Error('checkDeployment let a missing secret pass')
  return secret
}
