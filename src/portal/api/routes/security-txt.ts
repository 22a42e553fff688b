import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { notFound } from '../portal-error.ts'

const path = '/.well-known/security.txt'
const daySeconds = 86_400
/** RFC 9116 asks for less than a year. Half a year lets a copy outlive a restart but not a forgotten portal. */
const validDays = 180

/**
 * Serves security.txt (RFC 9116). Without a contact there is no file: a made-up
 * address would swallow reports.
 */
export function registerSecurityTxt(
  app: PortalApp,
  { portalUrl, security, now }: Pick<PortalServices, 'portalUrl' | 'security' | 'now'>,
): void {
  app.get(path, (_request, reply) => {
    if (security === undefined) throw notFound()
    const url = portalUrl()
    const lines = [
      `Contact: ${security.contact}`,
      `Expires: ${expiry(now())}`,
      // Section 2.5.2 permits only https. A portal on plain HTTP is on its owner's machine.
      ...(url.startsWith('https:') ? [`Canonical: ${url}${path}`] : []),
      'Preferred-Languages: en',
      ...(security.policy === undefined ? [] : [`Policy: ${security.policy}`]),
    ]
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .send(Buffer.from(`${lines.join('\r\n')}\r\n`))
  })
}

/** Midnight UTC, so that all answers of a day are equal: "2027-05-22T00:00:00Z". */
function expiry(now: number): string {
  const day = Math.floor(now / 1000 / daySeconds) + validDays
  return new Date(day * daySeconds * 1000).toISOString().replace('.000', '')
}
