/** RFC 9110, 11.6.1: each 401 names a scheme. TLS certificates have none, so this names that of the API key. */
export const certificateChallenge = { 'www-authenticate': 'ApiKey realm="tollgate"' } as const
