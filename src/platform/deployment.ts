import { isLoopback } from './loopback.ts'
import { hasSandbox } from './sandbox.ts'
import type { Role, Settings } from './settings.ts'
import { SettingsError } from './settings-reader.ts'

/**
 * Rejects combinations of roles and settings that would start but work
 * incorrectly: a limit multiplied by separate counters, keys that no process
 * can verify, or calls without a backend.
 *
 * @throws {SettingsError} with every problem
 */
export function checkDeployment(settings: Settings, roles: ReadonlySet<Role>): void {
  const isEmbedded = settings.databaseUrl === undefined
  const hasRedis = settings.redis !== undefined
  const gateway = roles.has('gateway')
  const portal = roles.has('portal')
  const backend = roles.has('backend')
  const isApart = portal && !backend && hasSandbox(settings, roles)
  const requirements: readonly { readonly isMissing: boolean; readonly problem: string }[] = [
    {
      isMissing: gateway && !hasRedis && settings.gatewayProcesses > 1,
      problem: `REDIS_URL: is required with GATEWAY_PROCESSES=${settings.gatewayProcesses}: processes that count separately would multiply every limit (e.g. redis://host:6379/0)`,
    },
    {
      isMissing: gateway && !hasRedis && settings.gatewayWorkers > 1,
      problem: `REDIS_URL: is required with GATEWAY_WORKERS=${settings.gatewayWorkers}: processes that count separately would multiply every limit (e.g. redis://host:6379/0)`,
    },
    {
      isMissing: gateway && hasRedis && settings.gatewayProcesses < settings.gatewayWorkers,
      problem: `GATEWAY_PROCESSES: ${settings.gatewayProcesses} is fewer than GATEWAY_WORKERS=${settings.gatewayWorkers}: every worker of every machine counts, and with too small a number each process admits too much during a Redis outage (e.g. ${settings.gatewayWorkers} on one machine)`,
    },
    {
      isMissing: portal && !gateway && !hasRedis,
      problem:
        'REDIS_URL: is required for a portal without a gateway in its process: it shows the counts that the gateway enforces (e.g. redis://host:6379/0)',
    },
    {
      isMissing: portal && !gateway && settings.gatewayPublicUrl === undefined,
      problem:
        'GATEWAY_PUBLIC_URL: is required for a portal without a gateway in its process: its page shows this address and calls it (e.g. https://api.bank.example)',
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
        'SESSION_SECRET or SESSION_SECRET_FILE: is required with DATABASE_URL: it signs sessions and encrypts emails (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing: isApart && settings.sandboxSecret === undefined,
      problem:
        'SANDBOX_SECRET or SANDBOX_SECRET_FILE: is required with SANDBOX=on for a portal without a backend in its process: the bank answers only a portal that knows it (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing: isApart && settings.backendUrl === undefined,
      problem:
        'BACKEND_URL: is required with SANDBOX=on for a portal without a backend in its process (e.g. http://10.0.0.7:8082)',
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

/** What works but not as a deployment for other machines needs it: one sentence each. */
export function deploymentWarnings(settings: Settings, roles: ReadonlySet<Role>): string[] {
  return [...unreachableAddresses(settings, roles), ...unsentMail(settings, roles)]
}

/** A portal that other machines reach, but that sends no email. */
function unsentMail(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const { portalPublicUrl: url, smtpUrl } = settings
  const isPublic = roles.has('portal') && url !== undefined && !leadsHere(url)
  if (!isPublic || smtpUrl !== undefined) return []
  return ['SMTP_URL is not set: the portal writes its emails to files and sends none']
}

/**
 * Addresses that a deployment of several processes publishes although no other
 * machine can reach them: one sentence each.
 */
function unreachableAddresses(settings: Settings, roles: ReadonlySet<Role>): string[] {
  if (settings.databaseUrl === undefined) return []
  const handedOut = [
    {
      isUsed: roles.has('gateway') || roles.has('portal'),
      name: 'PORTAL_PUBLIC_URL',
      url: settings.portalPublicUrl,
      use: 'error documents and emails link to it',
    },
    {
      isUsed: roles.has('portal'),
      name: 'GATEWAY_PUBLIC_URL',
      url: settings.gatewayPublicUrl,
      use: 'the portal shows it to developers',
    },
    {
      isUsed: roles.has('backend'),
      name: 'SCA_PUBLIC_URL',
      url: settings.scaPublicUrl,
      use: 'the sandbox bank sends customers there to approve',
    },
  ]
  return handedOut.flatMap(({ isUsed, name, url, use }) => {
    if (!isUsed || (url !== undefined && !leadsHere(url))) return []
    const state = url === undefined ? 'is not set' : 'leads only to this machine'
    return [`${name} ${state}: ${use}`]
  })
}

/** Whether an address means another thing on every machine: loopback, or 0.0.0.0. */
function leadsHere(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === '0.0.0.0' || isLoopback(hostname)
}
