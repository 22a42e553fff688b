import type { Attack } from '../attack.ts'

/** Who speaks to the backend: only the gateway may say it. */
const identities = [
  ...['Gateway-Identity', 'X-Internal-Identity', 'Client-Id', 'TPP-Roles', 'TPP-QWAC-Thumbprint'],
  ...[
    'X-User',
    'X-User-Id',
    'X-User-Name',
    'X-Username',
    'X-Remote-User',
    'Remote-User',
    'X-Auth-User',
  ],
  ...[
    'X-Authenticated-User',
    'X-Authenticated-Userid',
    'X-Authenticated-Scope',
    'X-Forwarded-User',
  ],
  ...[
    'X-Forwarded-Email',
    'X-Forwarded-Groups',
    'X-Forwarded-Preferred-Username',
    'X-Forwarded-Access-Token',
  ],
  ...[
    'X-Auth-Request-User',
    'X-Auth-Request-Email',
    'X-Auth-Request-Groups',
    'X-Auth-Token',
    'X-Auth-Roles',
  ],
  ...[
    'X-Consumer-Id',
    'X-Consumer-Username',
    'X-Consumer-Custom-Id',
    'X-Consumer-Groups',
    'X-Credential-Identifier',
  ],
  ...[
    'X-Anonymous-Consumer',
    'X-Tenant',
    'X-Tenant-Id',
    'X-Organization',
    'X-Org-Id',
    'X-Account-Id',
    'X-Customer-Id',
  ],
  ...[
    'X-Roles',
    'X-Role',
    'X-Groups',
    'X-Scopes',
    'X-Scope',
    'X-Permissions',
    'X-Admin',
    'X-Is-Admin',
    'X-Internal',
  ],
  ...[
    'X-Internal-Request',
    'X-Service-Name',
    'X-Service-Account',
    'X-Client-Id',
    'X-App-Id',
    'X-Application-Id',
  ],
  ...[
    'X-JWT-Assertion',
    'X-JWT-Payload',
    'X-Userinfo',
    'X-ID-Token',
    'X-Access-Token',
    'X-Endpoint-API-UserInfo',
  ],
  ...[
    'X-Goog-Authenticated-User-Email',
    'X-Goog-IAP-JWT-Assertion',
    'X-Amzn-OIDC-Identity',
    'X-Amzn-OIDC-Data',
  ],
  ...[
    'X-MS-Client-Principal',
    'X-MS-Client-Principal-Name',
    'CF-Access-JWT-Assertion',
    'X-IBM-Client-Secret',
  ],
  ...[
    'X-API-Secret',
    'X-WSSE',
    'Proxy-Authorization',
    'Proxy-Authenticate',
    'X-Tyk-Authorization',
    'X-Gravitee-API-Key',
  ],
]

/** The client's certificate, as proxies pass it on. */
const certificates = [
  ...[
    'Client-Cert',
    'Client-Cert-Chain',
    'X-Client-Cert',
    'X-Client-Certificate',
    'X-SSL-Client-Cert',
    'X-SSL-Cert',
  ],
  ...[
    'X-SSL-Client-Verify',
    'X-SSL-Client-DN',
    'X-SSL-Client-S-DN',
    'X-SSL-Client-CN',
    'X-SSL-Client-Fingerprint',
  ],
  ...[
    'X-SSL-Issuer',
    'X-SSL-Client-Serial',
    'SSL-Client-Cert',
    'SSL-Client-Verify',
    'SSL-Client-Subject-DN',
  ],
  ...[
    'X-Forwarded-Client-Cert',
    'X-Forwarded-TLS-Client-Cert',
    'X-Forwarded-TLS-Client-Cert-Info',
    'X-ARR-ClientCert',
  ],
  ...[
    'X-Amzn-Mtls-Clientcert',
    'X-Client-DN',
    'X-Client-Verify',
    'CF-Client-Cert-Sha256',
    'X-QWAC',
    'X-TLS-Client-Cert',
  ],
  ...['X-SSL', 'X-SSL-Protocol', 'X-SSL-Cipher', 'Front-End-Https', 'X-Url-Scheme', 'X-Scheme'],
]

/** Where a call comes from. */
const addresses = [
  ...[
    'Forwarded',
    'X-Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Forwarded-Port',
  ],
  ...[
    'X-Forwarded-Server',
    'X-Forwarded-By',
    'X-Forwarded-Ssl',
    'X-Forwarded-Scheme',
    'X-Forwarded-Prefix',
  ],
  ...[
    'X-Forwarded-Path',
    'X-Forwarded-Uri',
    'X-Forwarded-Method',
    'X-Forwarded-Context',
    'X-Forwarded-For-Original',
  ],
  ...[
    'X-Original-Forwarded-For',
    'Forwarded-For',
    'X-Real-IP',
    'X-Client-IP',
    'True-Client-IP',
    'Client-IP',
  ],
  ...[
    'X-Cluster-Client-IP',
    'CF-Connecting-IP',
    'CF-Connecting-IPv6',
    'CF-Pseudo-IPv4',
    'CF-IPCountry',
    'CF-Ray',
  ],
  ...[
    'Fastly-Client-IP',
    'X-Azure-ClientIP',
    'X-Azure-SocketIP',
    'X-Appengine-User-IP',
    'X-ProxyUser-Ip',
    'WL-Proxy-Client-IP',
  ],
  ...[
    'X-Originating-IP',
    'X-Remote-IP',
    'X-Remote-Addr',
    'Remote-Addr',
    'X-Envoy-External-Address',
    'X-Envoy-Internal',
  ],
  ...[
    'X-Envoy-Peer-Metadata',
    'X-Host',
    'X-Original-Host',
    'X-Real-Host',
    'X-HTTP-Host-Override',
    'X-Backend-Host',
  ],
  ...[
    'X-Custom-IP-Authorization',
    'X-Trusted-IP',
    'Via',
    'X-Via',
    'CDN-Loop',
    'Max-Forwards',
    'X-Azure-FDID',
  ],
]

/** Another target, or another way of handling the request. */
const targets = [
  ...[
    'X-Original-URL',
    'X-Original-URI',
    'X-Rewrite-URL',
    'X-Rewrite-URI',
    'X-Override-URL',
    'X-HTTP-Path-Override',
  ],
  ...[
    'X-Request-URI',
    'X-Request-URL',
    'X-Proxy-URL',
    'X-Path',
    'X-URI',
    'X-URL',
    'Base-Url',
    'Destination',
    'Request-Uri',
  ],
  ...[
    'X-Envoy-Original-Path',
    'X-Envoy-Original-Dst-Host',
    'X-Envoy-Decorator-Operation',
    'X-Envoy-Max-Retries',
  ],
  ...[
    'X-Envoy-Retry-On',
    'X-Envoy-Upstream-Rq-Timeout-Ms',
    'X-Envoy-Upstream-Alt-Stat-Name',
    'X-Accel-Redirect',
  ],
  ...[
    'X-Accel-Internal',
    'X-Accel-Buffering',
    'X-Sendfile',
    'X-Sendfile-Type',
    'X-Lighttpd-Send-File',
    'X-Reproxy-URL',
  ],
  ...[
    'X-HTTP-Method-Override',
    'X-HTTP-Method',
    'X-Method-Override',
    'X-Method',
    'X-Action',
    'X-Middleware-Subrequest',
  ],
  ...[
    'X-Middleware-Rewrite',
    'X-Middleware-Next',
    'X-Nextjs-Data',
    'X-Matched-Path',
    'X-Invoke-Path',
    'X-Invoke-Query',
  ],
  ...[
    'X-Debug',
    'X-Debug-Mode',
    'X-Test',
    'X-Cache-Key',
    'X-Forwarded-Cache',
    'Surrogate-Capability',
    'X-Kong-Request-Debug',
  ],
  ...[
    'SOAPAction',
    'Proxy',
    'X-Wap-Profile',
    'X-Amz-Website-Redirect-Location',
    'X-Tollgate',
    'Sandbox-Drill-Internal',
  ],
]

const why = {
  identities: 'a backend that believes it serves another caller',
  certificates: 'a certificate that nobody has shown',
  addresses: 'an address or a host that the client made up',
  targets: 'a backend that serves another path or method than the one counted',
  listed: 'Connection lists the field: a hop removes it, or something else with it',
  underscored: 'an underscore: the same variable as the hyphen to a CGI or WSGI',
} as const

/** Fields that the gateway knows and that may come once. */
const single: ReadonlySet<string> = new Set(['Client-Cert'])

function spoofed(names: readonly string[], reason: string): Attack[] {
  return names.flatMap((name) => [
    { kind: 'field', why: reason, fields: `${name}: evil\r\n`, expected: 'forwarded', spread: 6 },
    {
      ...{ kind: 'field', why: `${reason}; in another spelling`, spread: 3 },
      expected: single.has(name) ? '400 HEADERS_INVALID' : 'forwarded',
      fields: `${name.toUpperCase()}:evil\r\n${name.toLowerCase()}: evil\r\n`,
    },
    {
      ...{ kind: 'field', why: why.underscored, expected: '400 HEADERS_INVALID', spread: 3 },
      fields: `${name.replace('-', '_')}${name.includes('-') ? '' : '_'}: evil\r\n`,
    },
    {
      ...{ kind: 'field', why: why.listed, expected: 'forwarded', spread: 3 },
      fields: `Connection: ${name}\r\n${name}: evil\r\n`,
    },
  ])
}

/** Fields of the gateway or of the framing that a client asks the gateway to leave out. */
const listed = [
  ...[
    'gateway-identity',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'via',
    'host',
    'content-length',
  ],
  ...[
    'x-request-id',
    'transfer-encoding',
    'connection',
    'close, gateway-identity',
    'keep-alive, x-forwarded-for, via',
  ],
  ...[
    'content-type',
    ',,gateway-identity,,',
    'GATEWAY-IDENTITY',
    '\tgateway-identity\t',
    'x-api-key',
    'authorization',
  ],
]

/** A call with a long header block; `Via` and names of one field are singular. */
const many = (count: number): string =>
  Array.from({ length: count }, (_, at) => `X-A${at}: b\r\n`).join('')

export const fieldAttacks: readonly Attack[] = [
  ...spoofed(identities, why.identities),
  ...spoofed(certificates, why.certificates),
  ...spoofed(addresses, why.addresses),
  ...spoofed(targets, why.targets),
  ...listed.map(
    (names): Attack => ({
      ...{ kind: 'field', why: why.listed, expected: 'forwarded' },
      fields: `Connection: ${names}\r\n`,
    }),
  ),
  {
    kind: 'field',
    why: 'one field in two: the second Connection lists it',
    fields: 'Connection: keep-alive\r\nConnection: gateway-identity\r\nGateway-Identity: evil\r\n',
    expected: 'forwarded',
  },
  {
    kind: 'field',
    why: 'the identity of the gateway behind eighty other fields',
    fields: `${many(80)}Gateway-Identity: evil\r\n`,
    expected: 'forwarded',
    spread: 6,
  },
]
