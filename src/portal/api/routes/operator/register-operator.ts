// This folder has the routes of operators, which this file registers. `record-reads.ts` records what operators read
// about developers. The scope in `create-portal.ts` lets only operators pass.

import type { PortalApp } from '../../../portal-app.ts'
import type { PortalServices } from '../../../services.ts'
import { registerOperatedApplications } from './applications.ts'
import { registerAudit } from './audit.ts'
import { registerAvailability } from './availability.ts'
import { registerOperatedCalls } from './calls.ts'
import { registerOperatedDevelopers } from './developers.ts'
import { registerFigures } from './figures.ts'
import { registerLimitRequestAnswers } from './limit-requests.ts'
import { registerOverrides } from './overrides.ts'
import { registerRefusals } from './refusals.ts'
import { registerSecurityEvents } from './security-events.ts'
import { registerSignUpMode } from './sign-up-mode.ts'
import { registerTopApplications } from './top-applications.ts'

/** Everything operators may do, below `/api/operator`. */
export function registerOperator(
  app: PortalApp,
  services: Pick<PortalServices, 'catalogue' | 'counter' | 'mails' | 'now' | 'stores'>,
): void {
  registerOperatedDevelopers(app, services)
  registerOperatedApplications(app, services)
  registerOperatedCalls(app, services)
  registerOverrides(app, services)
  registerLimitRequestAnswers(app, services)
  registerFigures(app, services)
  registerRefusals(app, services)
  registerTopApplications(app, services)
  registerAvailability(app, services)
  registerSignUpMode(app, services)
  registerAudit(app, services)
  registerSecurityEvents(app, services)
}
