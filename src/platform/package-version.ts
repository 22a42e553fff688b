import { readFileSync } from 'node:fs'

/** The version of the program, as its package.json says. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  // Parse boundary: our own package.json.
  return (JSON.parse(manifest) as { version: string }).version
}
