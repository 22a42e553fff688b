import { Secret, TOTP } from 'otpauth'
import type { PortalAnswer } from './portal-client.ts'

const stepMs = 30_000

/** The code that an authenticator app shows now, or this many steps later. */
export function appCode(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * stepMs,
  })
}

/** A code that is wrong in every step the portal looks at. */
export function wrongCode(secret: string): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => appCode(secret, steps))
  const wrong = ['000000', '111111', '222222', '333333', '444444', '555555']
  return wrong.find((code) => !right.includes(code)) ?? ''
}

/** Adds an authenticator app as a signed-in developer does. @throws when a step is refused */
export async function addApp(
  post: (path: string, body?: unknown) => Promise<PortalAnswer>,
): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  const offer = await post('/api/session/factors/totp')
  const { token, secret } = offer.body
  // The code of now is for the test. The portal takes the one before, unless the step ends while the code is on its way.
  const confirm = () =>
    post('/api/session/factors/totp/confirm', { token, code: appCode(secret, -1) })
  const first = await confirm()
  const added = first.status === 200 ? first : await confirm()
  if (added.status !== 200) throw new Error(`answered ${added.status}: ${added.text}`)
  return { secret, recoveryCodes: added.body.recoveryCodes }
}
