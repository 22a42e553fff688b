import { type Role, type Settings, SettingsError } from './settings.ts'

/**
 * Refuses combinations of roles and settings that would start and then be
 * wrong: a limit multiplied by separate counters, keys nobody can verify, calls
 * without a backend.
 *
 * @throws {SettingsError} with every problem
 */
export function checkDeployment(settings: Settings, roles: ReadonlySet<Role>): void {
  const problems: string[] = []
  const require = (isMissing: boolean, problem: string): void => {
    if (isMissing) problems.push(problem)
  }
  const isEmbedded = settings.databaseUrl === undefined
  const hasRedis = settings.redisUrl !== undefined

  require(roles.has('gateway') &&
    !hasRedis &&
    settings.gatewayProcesses >
      1, `REDIS_URL: is required with GATEWAY_PROCESSES=${settings.gatewayProcesses}: processes that count by themselves would multiply every limit (e.g. redis://host:6379/0)`)
  require(roles.has('portal') &&
    !roles.has('gateway') &&
    !hasRedis, 'REDIS_URL: is required for a portal in another process than the gateway: it shows the counts that are enforced (e.g. redis://host:6379/0)')
  require(roles.has('gateway') &&
    !roles.has('backend') &&
    settings.backendUrl ===
      undefined, 'BACKEND_URL: is required for a gateway without a backend in its process (e.g. http://10.0.0.7:8082)')
  require(roles.has('backend') &&
    !roles.has('gateway') &&
    settings.identityJwksUrl ===
      undefined, 'IDENTITY_JWKS_URL: is required for a backend without a gateway in its process (e.g. http://10.0.0.5:9090/.well-known/jwks.json)')
  require(roles.has('gateway') &&
    !isEmbedded &&
    settings.keyPepper ===
      undefined, 'KEY_PEPPER or KEY_PEPPER_FILE: is required with DATABASE_URL: without it no stored key can be verified (e.g. the output of: openssl rand -base64 32)')
  require(roles.has('gateway') &&
    !isEmbedded &&
    settings.identityPrivateKey ===
      undefined, 'IDENTITY_PRIVATE_KEY or IDENTITY_PRIVATE_KEY_FILE: is required with DATABASE_URL (e.g. the output of: openssl genpkey -algorithm ed25519)')
  if (problems.length > 0) throw new SettingsError(problems)
}
