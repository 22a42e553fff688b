import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { operatorOf } from '../../request.ts'
import { SignUpMode } from '../../schemas/operator.ts'

/** Whether new developers may sign up. Needs an operator. */
export function registerSignUpMode(app: PortalApp, { stores }: Needs<never, 'portalState'>): void {
  const { portalState } = stores

  app.get(
    '/sign-up',
    {
      schema: {
        operationId: 'getSignUpMode',
        summary: 'Read the sign-up mode',
        response: { 200: SignUpMode },
      },
    },
    async () => ({ mode: await portalState.signUpMode() }),
  )

  app.put(
    '/sign-up',
    {
      schema: {
        operationId: 'setSignUpMode',
        summary: 'Open sign-up, require approval, or close it',
        body: SignUpMode,
        response: { 200: SignUpMode },
      },
    },
    async (request) => {
      const { mode } = request.body
      await portalState.setSignUpMode({ mode, by: operatorOf(request) })
      return { mode }
    },
  )
}
