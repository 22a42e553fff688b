import helmet from '@fastify/helmet'
import type { PortalApp } from '../portal-app.ts'
import type { PortalServices } from '../services.ts'

type Origins = Pick<PortalServices, 'portalUrl' | 'gatewayUrl'>

/**
 * Adds the security headers for browsers to every response of the portal. The
 * page loads only from the portal, its script may call the portal and the
 * gateway (to try a call), and inline script and style need the response's
 * nonce.
 */
export function sendSecurityHeaders(app: PortalApp, { portalUrl, gatewayUrl }: Origins): void {
  app.register(helmet, {
    enableCSPNonces: true,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        connectSrc: ["'self'", () => gatewayUrl()],
      },
    },
    // Only over https: browsers ignore HSTS on plain http (RFC 6797, 8.1), where a proxy may set it.
    strictTransportSecurity: portalUrl().startsWith('https:')
      ? { maxAge: 31_536_000, includeSubDomains: true }
      : false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xXssProtection: false,
    xDownloadOptions: false,
    xDnsPrefetchControl: { allow: false },
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('permissions-policy', permissions)
  })
}

/** A key is copied to the clipboard; nothing else of the device is asked for. */
const permissions = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ')
