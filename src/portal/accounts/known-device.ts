import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PortalServices } from '../services.ts'

type KnownDeviceServices = Pick<PortalServices, 'secrets' | 'portalUrl' | 'now'>

/** Days for which a browser is remembered. */
const rememberedDays = 180
const dayMs = 86_400_000

/**
 * The name of a browser that the owner of an address has used before;
 * undefined for any other browser, and for another address.
 *
 * The cookie proves this by a MAC and holds nothing else of the account. Its
 * holder is no longer slowed down by what strangers try on the account (OWASP,
 * "Slow Down Online Guessing Attacks with Device Cookies"). It opens nothing.
 */
export function knownDevice(
  { secrets, portalUrl, now }: KnownDeviceServices,
  request: FastifyRequest,
  email: string,
): string | undefined {
  const [nonce = '', day = '', mac = '', ...rest] = (
    request.cookies[cookieName(portalUrl())] ?? ''
  ).split('.')
  if (rest.length > 0 || !/^\d{1,6}$/.test(day)) return undefined
  const given = Buffer.from(mac)
  const isOurs = secrets.devices.all.some((key) => {
    const expected = Buffer.from(macOf(key, { nonce, day, email }))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOurs) return undefined
  return Number(day) + rememberedDays > today(now) ? nonce : undefined
}

/**
 * Remembers the browser as one of the owner of the address. A known browser
 * keeps its name: a new name would have all its attempts left.
 */
export function rememberDevice(
  services: KnownDeviceServices,
  { request, reply, email }: { request: FastifyRequest; reply: FastifyReply; email: string },
): void {
  const { secrets, portalUrl, now } = services
  const nonce = knownDevice(services, request, email) ?? randomBytes(16).toString('base64url')
  const day = String(today(now))
  const mac = macOf(secrets.devices.newest, { nonce, day, email })
  reply.setCookie(cookieName(portalUrl()), `${nonce}.${day}.${mac}`, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure(portalUrl()),
    maxAge: rememberedDays * 86_400,
  })
}

function cookieName(portalUrl: string): string {
  return isSecure(portalUrl) ? '__Host-tollgate-device' : 'tollgate_device'
}

function isSecure(portalUrl: string): boolean {
  return portalUrl.startsWith('https:')
}

function macOf(
  key: Buffer,
  { nonce, day, email }: { nonce: string; day: string; email: string },
): string {
  return createHmac('sha256', key)
    .update([nonce, day, email.toLowerCase()].join('\n'))
    .digest('base64url')
}

/** Days since 1970. */
function today(now: () => number): number {
  return Math.floor(now() / dayMs)
}
