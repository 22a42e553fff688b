import { type Role, type Settings, SettingsError } from './settings.ts'

/**
 * Refuses combinations of roles and settings that would start and then be
 * wrong: a limit multiplied by separate counters, keys nobody can verify, calls
 * without a backend.
 *
 * @throws {SettingsError} with every problem
 */
export function checkDeployment(settings: Settings, roles: ReadonlySet<Role>): void {
  const isEmbedded = settings.databaseUrl === undefined
  const hasRedis = settings.redis !== undefined
  const gateway = roles.has('gateway')
  const portal = roles.has('portal')
  const backend = roles.has('backend')
  const requirements: readonly { readonly isMissing: boolean; readonly problem: string }[] = [
    {
      isMissing: gateway && !hasRedis && settings.gatewayProcesses > 1,
      problem: `REDIS_URL: is required with GATEWAY_PROCESSES=${settings.gatewayProcesses}: processes that count by themselves would multiply every limit (e.g. redis://host:6379/0)`,
    },
    {
      isMissing: gateway && !hasRedis && settings.gatewayWorkers > 1,
      problem: `REDIS_URL: is required with GATEWAY_WORKERS=${settings.gatewayWorkers}: processes that count by themselves would multiply every limit (e.g. redis://host:6379/0)`,
    },
    {
      isMissing: gateway && hasRedis && settings.gatewayProcesses < settings.gatewayWorkers,
      problem: `GATEWAY_PROCESSES: ${settings.gatewayProcesses} is fewer than GATEWAY_WORKERS=${settings.gatewayWorkers}: every worker of every machine counts, and in an outage of Redis too small a number lets each admit too much (e.g. ${settings.gatewayWorkers} on one machine)`,
    },
    {
      isMissing: portal && !gateway && !hasRedis,
      problem:
        'REDIS_URL: is required for a portal in another process than the gateway: it shows the counts that are enforced (e.g. redis://host:6379/0)',
    },
    {
      isMissing: portal && !gateway && settings.gatewayPublicUrl === undefined,
      problem:
        'GATEWAY_PUBLIC_URL: is required for a portal in another process than the gateway: its page shows it and calls it (e.g. https://api.bank.example)',
    },
    {
      isMissing: gateway && !backend && settings.backendUrl === undefined,
      problem:
        'BACKEND_URL: is required for a gateway without a backend in its process (e.g. http://10.0.0.7:8082)',
    },
    {
      isMissing: backend && !gateway && settings.identityJwksUrl === undefined,
      problem:
        'IDENTITY_JWKS_URL: is required for a backend without a gateway in its process (e.g. http://10.0.0.5:9090/.well-known/jwks.json)',
    },
    {
      isMissing: portal && !isEmbedded && settings.sessionSecret === undefined,
      problem:
        'SESSION_SECRET or SESSION_SECRET_FILE: is required with DATABASE_URL: it signs sessions and seals mails (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing: (gateway || portal) && !isEmbedded && settings.keyPepper === undefined,
      problem:
        'KEY_PEPPER or KEY_PEPPER_FILE: is required with DATABASE_URL: without it no stored key can be verified (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing: gateway && !isEmbedded && settings.identityPrivateKey === undefined,
      problem:
        'IDENTITY_PRIVATE_KEY or IDENTITY_PRIVATE_KEY_FILE: is required with DATABASE_URL (e.g. the output of: openssl genpkey -algorithm ed25519)',
    },
  ]
  const problems = requirements.flatMap(({ isMissing, problem }) => (isMissing ? [problem] : []))
  if (problems.length > 0) throw new SettingsError(problems)
}
