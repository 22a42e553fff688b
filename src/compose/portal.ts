import type { Registry as MetricsRegistry } from 'prom-client'
import { isOfBank } from '../backend/bank-operations.ts'
import type { Language } from '../messages/language.ts'
import { createAccessLine } from '../platform/http/access-line.ts'
import { createClientAddress, warnOfUnknownClient } from '../platform/http/client-address.ts'
import { limitConnections } from '../platform/http/connection-limits.ts'
import { closeListeners, listen } from '../platform/http/listen.ts'
import { createNetworks } from '../platform/http/networks.ts'
import { createRecordedAddress } from '../platform/http/recorded-address.ts'
import type { JobMetrics } from '../platform/process/job-metrics.ts'
import { hasOwnBackend } from '../platform/settings/sandbox.ts'
import { splitSecrets } from '../platform/settings/secret-list.ts'
import { checkArgon2 } from '../portal/accounts/check-argon2.ts'
import { openAttempts } from '../portal/accounts/open-attempts.ts'
import { createPasskeys } from '../portal/accounts/passkeys.ts'
import { createPasswords } from '../portal/accounts/passwords.ts'
import { pruneExpired } from '../portal/accounts/prune-expired.ts'
import { createTotp } from '../portal/accounts/totp.ts'
import { openWebhooks } from '../portal/alerts/open-webhooks.ts'
import { createAuditContext, createCircumstances } from '../portal/api/request.ts'
import { createPortal } from '../portal/create-portal.ts'
import { openMailJobs } from '../portal/mail/mail-jobs.ts'
import { createMailbox } from '../portal/mail/mailbox.ts'
import { mailsFolder, openMails } from '../portal/mail/open-mails.ts'
import { createPortalMetrics } from '../portal/metrics/portal-metrics.ts'
import { readTopApplications } from '../portal/metrics/top-applications.ts'
import { watchApplications } from '../portal/metrics/watch-applications.ts'
import { watchBacklog } from '../portal/metrics/watch-backlog.ts'
import { createOidcProvider } from '../portal/oidc/provider.ts'
import { brandName } from '../portal/pages/brand-facts.ts'
import type { PageFiles } from '../portal/pages/open-page.ts'
import { createSandboxBank } from '../portal/sandbox-bank.ts'
import { checkSealed } from '../portal/sealing/check-sealed.ts'
import { derivePortalSecrets, embeddedSessionSecret } from '../portal/sealing/portal-secrets.ts'
import { createReSealing } from '../portal/sealing/re-seal.ts'
import { openPortalStores } from '../portal/stores/portal-stores.ts'
import type { Addresses } from './addresses.ts'
import { followRedis } from './live-redis.ts'
import { checkSecretList, followText, type LiveSecret } from './live-secrets.ts'
import { openSecret } from './secrets.ts'
import type { Services } from './services.ts'
import type { ListenerFoundation } from './stores.ts'

export interface PortalRoleOptions extends ListenerFoundation {
  readonly services: Services
  readonly addresses: Addresses
  readonly metricsRegistry: MetricsRegistry
  readonly jobs: JobMetrics
  readonly page: PageFiles
  /** Shared with the bank; undefined: the portal offers no sandbox. */
  readonly sandboxSecret: LiveSecret | undefined
}

/** Starts the portal role. @throws {Argon2Missing} */
export async function startPortal(options: PortalRoleOptions): Promise<void> {
  const { settings, database, dataFolder, services, addresses, page, sandboxSecret } = options
  const { events, log, lifetime } = options
  await checkArgon2()
  const sessionSecret = await options.secrets.follow('SESSION_SECRET', {
    text: await openSecret(settings.sessionSecret, dataFolder, embeddedSessionSecret),
    check: checkSecretList,
  })
  const { peppers, records, registry } = services
  const stores = { ...registry, ...records, ...openPortalStores({ database, peppers }) }
  const secrets = derivePortalSecrets(sessionSecret.current)
  // Without the setting, the data folder has it; a lost one cannot be put back there.
  if (settings.sessionSecret !== undefined) {
    await checkSealed({ store: stores.sealedSecrets, secrets })
  }
  const isProxy = createNetworks(settings.trustedProxies)
  const clientAddress = createClientAddress({ isProxy, onUnreadable: warnOfUnknownClient(log) })
  const attempts = await openAttempts({
    clientAddress,
    key: secrets.attempts,
    redis: settings.redis && (await followRedis(settings.redis, options.secrets)),
    most: {
      'change-of-developer': settings.changesPerMinute,
      'key-of-developer': settings.keysPerHour,
    },
    monotonic: () => performance.now(),
    log,
    lifetime,
  })
  const catalogue = () => services.publisher.current().catalogue
  const mails = await openMails({
    ...options,
    secrets,
    smtpUrl: await followText(options.secrets, 'SMTP_URL', settings.smtpUrl),
    portalUrl: addresses.portal,
    catalogue,
  })
  const webhooks = openWebhooks({ ...options, secrets })
  const jobs = await openMailJobs({
    ...options,
    ...mails,
    ...webhooks,
    catalogue,
    now: Date.now,
    counter: services.counter,
    onChange: registry.onChange,
    folder: mailsFolder(settings.dataDir),
  })
  watchBacklog(options)
  if (settings.metricsApplications > 0) {
    const { applicationFigures: figures } = stores
    const parts = { figures, catalogue, counter: services.counter, now: Date.now }
    watchApplications({
      ...options,
      read: () => readTopApplications(parts, settings.metricsApplications),
    })
  }
  pruneExpired({ stores, jobs: options.jobs, log, lifetime })
  const sealed = { store: stores.sealedSecrets, secrets }
  sessionSecret.addCheck((text) =>
    checkSealed({ ...sealed, secrets: derivePortalSecrets(() => text), before: secrets }),
  )
  const reSealing = createReSealing({ ...sealed, log })
  lifetime.opened(() => reSealing.close())
  reSealing.start()
  sessionSecret.onChange(reSealing.start)
  const nameOfBank = (language: Language) => brandName(catalogue().brand, language)
  const portal = createPortal({
    tls: options.certificates.portal,
    catalogue,
    portalUrl: addresses.portal,
    gatewayUrl: addresses.gateway,
    probedGatewayUrl: () => settings.gatewayUrl ?? addresses.gateway(),
    stores,
    counter: services.counter,
    secrets,
    mails,
    webhooks,
    page,
    passwords: createPasswords(),
    totp: createTotp({
      key: secrets.totp,
      brandName: nameOfBank,
      portalUrl: addresses.portal,
      now: Date.now,
    }),
    passkeys: createPasskeys({ portalUrl: addresses.portal, brandName: nameOfBank }),
    attempts,
    oidc: createOidcProvider({
      settings,
      clientSecret: await followText(
        options.secrets,
        'OIDC_CLIENT_SECRET',
        settings.oidcClientSecret,
      ),
      portalUrl: addresses.portal,
      onFailure: (err) => log.warn({ err }, 'a sign-in through the OpenID Connect provider failed'),
    }),
    sandbox:
      sandboxSecret === undefined
        ? undefined
        : createSandboxBank({
            bankUrl: addresses.backend,
            tls: options.certificates.upstream,
            secret: () => splitSecrets(sandboxSecret.current())[0] ?? '',
          }),
    hasBank: () => [...catalogue().versions.values()].some(isOfBank),
    hasDrills: (version) => sandboxSecret !== undefined && !hasOwnBackend(settings, version),
    metrics: createPortalMetrics(options.metricsRegistry),
    writeAccessLine: createAccessLine({
      log,
      accessLog: options.logSwitch.accessLog,
      message: 'portal request',
    }),
    events,
    clientAddress,
    circumstances: createCircumstances(clientAddress),
    auditContext: createAuditContext({
      clientAddress,
      recordedAddress: createRecordedAddress(settings.recordAddresses),
    }),
    writesMailsToFiles: settings.smtpUrl === undefined,
    security:
      settings.securityContact === undefined
        ? undefined
        : { contact: settings.securityContact, policy: settings.securityPolicy },
    mailbox: createMailbox(settings, mailsFolder(settings.dataDir)),
    isFactorRequired: settings.secondFactor === 'everyone',
    keyMaxDays: settings.keyMaxDays,
    now: Date.now,
    onError: (requestId, err) => log.error({ requestId, err }, 'a portal request failed'),
  })
  limitConnections(portal.server, settings, isProxy)
  lifetime.opened(() => closeListeners([portal], () => portal.close()))
  addresses.bound('portal', await listen(portal, 'PORTAL', settings.portal, options))
  jobs.start()
}
