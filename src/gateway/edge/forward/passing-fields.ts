import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import { createSpellings } from '../spellings.ts'

/** End-to-end fields of HTTP itself (RFC 9110, 9530, 9421) and of tracing (W3C Baggage). */
const standard = [
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'authorization',
  'baggage',
  'cache-control',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'pragma',
  'prefer',
  'range',
  'referer',
  'repr-digest',
  'signature-input',
  'user-agent',
  'x-request-id',
]

/**
 * Fields that backends trust because only their own edge sets them: who calls,
 * from where, and what was asked for. Those that no setting lets pass are in
 * `platform/http/own-fields.ts`.
 */
const ofEdges: ReadonlySet<string> = new Set([
  'cdn-loop',
  'front-end-https',
  'forwarded-for',
  'request-uri',
  'x-anonymous-consumer',
  'x-apigateway-api-userinfo',
  'x-auth-user',
  'x-backend-host',
  'x-custom-ip-authorization',
  'x-email',
  'x-gravitee-api-key',
  'x-groups',
  'x-host',
  'x-http-host-override',
  'x-http-path-override',
  'x-ibm-client-secret',
  'x-jwt-assertion',
  'x-jwt-payload',
  'x-kong-request-debug',
  'x-lighttpd-send-file',
  'x-matched-path',
  'x-nextjs-data',
  'x-originating-ip',
  'x-override-url',
  'x-principal',
  'x-proxy-url',
  'x-proxy-user',
  'x-proxyuser-ip',
  'x-real-host',
  'x-reproxy-url',
  'x-request-uri',
  'x-request-url',
  'x-roles',
  'x-scheme',
  'x-script-name',
  'x-sendfile',
  'x-ssl',
  'x-tollgate',
  'x-trusted-ip',
  'x-tyk-authorization',
  'x-url-scheme',
  'x-user',
  'x-user-email',
  'x-user-id',
  'x-user-name',
  'x-userinfo',
  'x-username',
  'x-via',
])
const ofEdgesBegin = [
  'cf-',
  'client-cert-',
  'client-ip',
  'fly-',
  'remote-',
  'ssl-client-',
  'tailscale-',
  'x-accel-',
  'x-amzn-mtls-',
  'x-amzn-oidc-',
  'x-appengine-',
  'x-arr-',
  'x-auth-request-',
  'x-authenticated-',
  'x-authentik-',
  'x-azure-',
  'x-client-cert',
  'x-client-dn',
  'x-client-verify',
  'x-consumer-',
  'x-credential-',
  'x-endpoint-api-',
  'x-envoy-',
  'x-forwarded',
  'x-goog-authenticated-',
  'x-goog-iap-',
  'x-invoke-',
  'x-middleware-',
  'x-ms-client-principal',
  'x-ms-token-',
  'x-original-',
  'x-pomerium-',
  'x-remote-',
  'x-rewrite-',
  'x-sendfile-',
  'x-ssl-',
  'x-tls-',
  'x-tollgate-',
  'x-webauth-',
]

/** Whether a client's field with this name, in any spelling, may reach the backend. */
export type PassesField = (spelled: string) => boolean

/** Decides which request fields of calls of a version reach the backend. */
export type PassingFields = (version: ApiVersion) => PassesField

/**
 * Of a version that forwards declared fields, an allow-list reaches the
 * backend: the fields of HTTP and tracing, the header parameters and security
 * schemes of its document, and `extra` (FORWARD_HEADERS). Of other versions,
 * everything reaches it but what a backend may trust to come from its own edge;
 * the same names make exceptions.
 */
export function createPassingFields(extra: readonly string[]): PassingFields {
  const known = new WeakMap<ApiVersion, PassesField>()
  return (version) => {
    let passes = known.get(version)
    if (passes === undefined) {
      const names = new Set([...standard, ...declaredFields(version), ...extra].map(folded))
      const isAll = version.forwardHeaders === 'all'
      passes = createSpellings((name) => names.has(name) || (isAll && !isOfEdges(name)))
      known.set(version, passes)
    }
    return passes
  }
}

function isOfEdges(name: string): boolean {
  return (
    ofEdges.has(name) ||
    ofEdgesBegin.some((begin) => name.startsWith(begin)) ||
    name.endsWith('-client-ip')
  )
}

/** Names of the header parameters and of the security schemes in a document. */
function declaredFields(version: ApiVersion): readonly string[] {
  return version.operations
    .flatMap(({ declared }) => declared.headers)
    .concat(version.credentials.headers)
}

function folded(name: string): string {
  return name.toLowerCase()
}
