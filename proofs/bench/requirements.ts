import { execFileSync } from 'node:child_process'
import { postgresMissing } from '../../test/support/database.ts'
import { redisMissing } from '../../test/support/redis-server.ts'
import { nginxMissing } from './nginx.ts'

/** Says what of all parts' needs is not on this machine; the peers' own programs are asked for by the peers. */
export function missingRequirements(): string[] {
  const missing = [
    programMissing('wrk', 'wrk'),
    programMissing('taskset', 'util-linux'),
    programMissing('setpriv', 'util-linux'),
    nginxMissing(),
    redisMissing() || undefined,
    postgresMissing() || undefined,
  ]
  return missing.filter((problem) => problem !== undefined)
}

function programMissing(program: string, debianPackage: string): string | undefined {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return undefined
  } catch {
    return `${program} is not installed (Debian: ${debianPackage})`
  }
}
