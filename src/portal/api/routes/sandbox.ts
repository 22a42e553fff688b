import { createCompression } from '../../pages/compression.ts'
import type { PortalApp } from '../../portal-app.ts'
import { BankUnavailable } from '../../sandbox-bank.ts'
import type { Needs, PortalServices } from '../../services.ts'
import { ApplicationParams, ownApplication, refuseSuspended } from '../own-application.ts'
import { inputInvalid } from '../portal-error.ts'
import { ApprovedConsents, ReadyConsent, ReadyConsentInput, Sandbox } from '../schemas/sandbox.ts'

/** The customers of the sandbox bank. Without a sandbox the route does not exist. */
export function registerSandbox(
  app: PortalApp,
  { sandbox }: Pick<PortalServices, 'sandbox'>,
): void {
  if (sandbox === undefined) return
  app.addHook('onClose', async () => sandbox.close())

  app.get(
    '/api/sandbox',
    {
      onSend: createCompression(),
      schema: {
        operationId: 'getSandbox',
        summary: 'List fictional bank customers, their passwords and how to reach every state',
        response: { 200: Sandbox },
      },
    },
    () => sandbox.describe(),
  )
}

/** Consents of applications at the sandbox bank. Needs a session. */
export function registerSandboxConsents(
  app: PortalApp,
  { attempts, sandbox, stores }: Needs<'attempts' | 'sandbox', 'applications'>,
): void {
  if (sandbox === undefined) return

  app.post(
    '/api/applications/:id/sandbox/consents',
    {
      schema: {
        operationId: 'makeReadyConsent',
        summary: 'Create a valid consent of a fictional customer; an earlier one expires',
        params: ApplicationParams,
        body: ReadyConsentInput,
        response: { 201: ReadyConsent },
        problems: ['CONFLICT', 'ATTEMPTS_EXCEEDED'],
      },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      refuseSuspended(application)
      const psuId = request.body?.psuId
      if (psuId !== undefined) {
        const { customers } = await sandbox.describe()
        const customer = customers.find((each) => each.psuId === psuId)
        if (customer?.isReadyToConsent !== true) {
          throw inputInvalid('/psuId', 'the id of a sandbox customer who gives consents')
        }
      }
      const attempt = await attempts.count('consent-of-developer', {
        developerId: application.developerId,
      })
      try {
        const consent = await sandbox.makeConsent(application.id, psuId)
        return consent
      } catch (error) {
        if (error instanceof BankUnavailable && !error.isUnsure) await attempt.abandoned()
        throw error
      }
    },
  )

  app.get(
    '/api/applications/:id/sandbox/consents',
    {
      schema: {
        operationId: 'listApprovedConsents',
        summary:
          'List the newest 10 consents that the application asked for and a fictional customer approved',
        params: ApplicationParams,
        response: { 200: ApprovedConsents },
      },
    },
    async (request) =>
      sandbox.approvedConsents((await ownApplication(stores, request, request.params)).id),
  )
}
