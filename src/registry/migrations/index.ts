// This folder creates and changes all tables but the bank's: those of the registry and of the portal. Each file is one
// migration, and this one lists them. A new migration expands, so that older releases still work on its tables; one
// that contracts declares `oldestRelease` (`platform/database/schema-migration.ts`). A file never changes after its
// release.

import { registry } from './0001-registry.ts'
import { portal } from './0002-portal.ts'
import { usage } from './0003-usage.ts'
import { strict } from './0004-strict.ts'
import { calendarWindows } from './0005-calendar-windows.ts'
import { accountability } from './0008-accountability.ts'
import { certificates } from './0010-certificates.ts'
import { people } from './0011-people.ts'
import { hardening } from './0012-hardening.ts'
import { openIdConnect } from './0013-openid-connect.ts'
import { redirectOrigins } from './0014-redirect-origins.ts'
import { erasure } from './0015-erasure.ts'
import { signedDigests } from './0016-signed-digests.ts'
import { sandboxRevocations } from './0017-sandbox-revocations.ts'
import { language } from './0018-language.ts'
import { alerts } from './0019-alerts.ts'
import { limitRequests } from './0021-limit-requests.ts'
import { terms } from './0022-terms.ts'
import { usageHistogram } from './0023-usage-histogram.ts'
import { publishedConfigurations } from './0024-published-configurations.ts'
import { availability } from './0025-availability.ts'
import { processes } from './0030-processes.ts'
import { traceIds } from './0031-trace-ids.ts'
import { counting } from './0032-counting.ts'
import { countSamples } from './0033-count-samples.ts'
import { drills } from './0035-drills.ts'

/** All migrations of the registry by name. A new one is a new file and a line here; an old one never changes. */
export const registryMigrations = {
  '0001-registry': registry,
  '0002-portal': portal,
  '0003-usage': usage,
  '0004-strict': strict,
  '0005-calendar-windows': calendarWindows,
  '0008-accountability': accountability,
  '0010-certificates': certificates,
  '0011-people': people,
  '0012-hardening': hardening,
  '0013-openid-connect': openIdConnect,
  '0014-redirect-origins': redirectOrigins,
  '0015-erasure': erasure,
  '0016-signed-digests': signedDigests,
  '0017-sandbox-revocations': sandboxRevocations,
  '0018-language': language,
  '0019-alerts': alerts,
  '0021-limit-requests': limitRequests,
  '0022-terms': terms,
  '0023-usage-histogram': usageHistogram,
  '0024-published-configurations': publishedConfigurations,
  '0025-availability': availability,
  '0030-processes': processes,
  '0031-trace-ids': traceIds,
  '0032-counting': counting,
  '0033-count-samples': countSamples,
  '0035-drills': drills,
} as const
