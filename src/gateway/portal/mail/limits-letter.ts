import type { LimitAlert } from '../../registry/limit-alerts.ts'
import type { Block, Fact, LetterText } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

export interface LimitsFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly alerts: readonly LimitAlert[]
}

/** How many limits an email lists; the portal shows all. */
const limitsMax = 20

/** Tells what limits an application has nearly or wholly used up since the last such email. */
export function limitsLetter(portalUrl: string, letter: LimitsFacts): LetterText {
  const { applicationId, applicationName, alerts } = letter
  const limits = [...Map.groupBy(alerts, nameOf)].map(([name, found]) => ({
    name,
    ...latestOf(found),
  }))
  const isUsedUp = limits.some(({ threshold }) => threshold === 100)
  const shown: Fact[] = limits.slice(0, limitsMax).map(({ name, used, limit, resetsAt }) => ({
    label: name,
    value: `${used} of ${limit} calls used; the limit resets at ${utcTime(resetsAt)}`,
  }))
  const more = limits.length - shown.length
  const link: Block = {
    link: 'See the usage of this application',
    url: `${portalUrl}/applications/${applicationId}/usage`,
  }
  return {
    subject: isUsedUp ? 'A limit is used up' : '80 % of a limit is used',
    blocks: [
      isUsedUp
        ? 'One of your applications has used all calls of a limit. The gateway refuses further calls until the limit resets. Refused calls do not count.'
        : 'One of your applications has used 80 % of the calls of a limit.',
      {
        facts: [
          { label: 'Application', name: applicationName },
          ...shown,
          ...(more > 0 ? [{ label: 'More limits', value: String(more) }] : []),
        ],
      },
      link,
      'You get at most one such email an hour for each application.',
    ],
  }
}

function nameOf({ api, version, operation }: LimitAlert): string {
  return `${api} ${version}, ${operation ?? 'all operations'}`
}

/** The newest window of a limit, and in it the highest threshold. */
function latestOf(
  alerts: readonly LimitAlert[],
): Pick<LimitAlert, 'threshold' | 'used' | 'limit' | 'resetsAt'> {
  const [latest] = alerts.toSorted(
    (a, b) => b.resetsAt.getTime() - a.resetsAt.getTime() || b.threshold - a.threshold,
  )
  if (latest === undefined) throw new Error('a limit without an alert')
  return latest
}
