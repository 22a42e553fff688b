import { nearestName } from '../edit-distance.ts'
import { settingGroups } from './settings.ts'
import { isServiceLink } from './settings-reader.ts'

type Environment = Readonly<Record<string, string | undefined>>

const known: ReadonlySet<string> = new Set(
  settingGroups.flatMap(({ rows }) => Object.values(rows).flatMap(({ names }) => names)),
)

/**
 * What in the environment looks like a setting and has no effect: one sentence
 * each, without values.
 */
export function settingWarnings(env: Environment): string[] {
  const given = Object.keys(env).filter((name) => (env[name] ?? '') !== '')
  return given.flatMap((name) => {
    if (known.has(name)) {
      return isServiceLink(name, env[name])
        ? [
            `${name} is ignored: Kubernetes sets it for a service of that name. To set the port, rename the service or use enableServiceLinks: false.`,
          ]
        : []
    }
    const meant = nearestName(name, [...known])
    return meant === undefined
      ? []
      : [`${name} is not a setting and has no effect; do you mean ${meant}?`]
  })
}
