import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
}

interface Composed {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** `deploy/compose.yaml`. */
export const composed = parse(readFileSync('deploy/compose.yaml', 'utf8'), {
  merge: true,
}) as Composed

/**
 * The environment of a service as Compose makes it, with its secrets in a folder.
 *
 * @param set what a person sets; nothing unless told
 */
export function composedEnvironment(
  service: string,
  secrets: string,
  set: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { environment = {} } = composed.services[service] ?? {}
  // `-` without the variable, `+` with it.
  const filledIn = (_whole: string, name: string, kind: string, text: string): string => {
    const given = set[name]
    return kind === '-' ? (given ?? text) : given === undefined ? '' : text
  }
  const given = Object.entries(environment).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{(\w+):([-+])([^}]*)\}/g, filledIn).replace('/run/secrets', secrets),
  ])
  return Object.fromEntries(given)
}

/** The commands with which docs/operating.md creates the secrets, one a line. */
export function secretCommands(): string[] {
  const page = readFileSync('docs/operating.md', 'utf8')
  const [, block = ''] =
    /^### With containers$.*?^```sh\n(mkdir .*?)^docker compose /ms.exec(page) ?? []
  return block.trim().split('\n')
}
