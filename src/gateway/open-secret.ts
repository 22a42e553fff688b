import type { DataFolder } from '../platform/data-folder.ts'

/** Takes a secret from the settings; what they lack is kept in the data folder, made there the first time. */
export async function openSecret(
  given: string | undefined,
  dataFolder: DataFolder | undefined,
  kept: { readonly name: string; readonly generate: () => string },
): Promise<string> {
  const secret = given ?? (await dataFolder?.secret(kept.name, kept.generate))
  if (secret === undefined) throw new Error('checkDeployment let a missing secret pass')
  return secret
}
