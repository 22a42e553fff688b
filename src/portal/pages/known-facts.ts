import type { IncomingMessage } from 'node:http'
import { languageOf } from '../../messages/language.ts'
import type { PortalFacts } from '../api/schemas/accounts.ts'
import type { PortalServices } from '../services.ts'
import { brandFacts } from './brand-facts.ts'

/** Facts about the portal that its page knows from the start. Asks no store. */
export function knownFacts(
  services: Pick<
    PortalServices,
    | 'catalogue'
    | 'gatewayUrl'
    | 'writesMailsToFiles'
    | 'sandbox'
    | 'hasBank'
    | 'oidc'
    | 'mailbox'
    | 'keyMaxDays'
  >,
  request: IncomingMessage,
): Omit<PortalFacts, 'signUp'> {
  const { gatewayUrl, writesMailsToFiles, sandbox, hasBank, oidc, mailbox, keyMaxDays } = services
  return {
    gatewayUrl: gatewayUrl(),
    writesMailsToFiles,
    hasSandbox: sandbox !== undefined,
    hasBank: hasBank(),
    signInProvider: oidc?.label ?? null,
    hasMailbox: mailbox?.isOpenTo(request) === true,
    keyMaxDays,
    brand: brandFacts(services.catalogue().brand, languageOf(request.headers)),
  }
}
