import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Service {
  readonly image: string
  readonly ports?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
}

export interface Composed {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** `deploy/compose.yaml`. */
export const composed = readComposed('compose.yaml')

/** Prometheus and Grafana beside it: `deploy/compose.monitoring.yaml`. */
export const composedMonitoring = readComposed('compose.monitoring.yaml')

function readComposed(name: string): Composed {
  // Parse boundary: test/documents/compose-schema.test.ts checks the shape.
  return parse(readFileSync(`deploy/${name}`, 'utf8'), { merge: true }) as Composed
}

/**
 * The environment of a service as Compose makes it, with its secrets in a folder.
 *
 * @param set what a person sets (Default: nothing)
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

/** The commands with which docs/production.md creates the secrets, one a line. */
export function secretCommands(): string[] {
  const page = readFileSync('docs/production.md', 'utf8')
  const [, block = ''] =
    /^### With containers$.*?^```sh\n(mkdir .*?)^docker compose /ms.exec(page) ?? []
  return block.trim().split('\n')
}
