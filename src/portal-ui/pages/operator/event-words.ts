/** What each security event of the table says, in words. */
export const eventWords: Readonly<Record<string, string>> = {
  'sign-in.accepted': 'Signed in',
  'sign-in.refused': 'Sign-in refused',
  'sign-in.throttled': 'Sign-in throttled',
  'sign-in.locked': 'Password locked after wrong passwords',
  'factor.refused': 'Second factor refused',
  'proof.accepted': 'Identity confirmed',
  'password.refused': 'Wrong password in a session',
  'request.throttled': 'Request throttled',
  'change.throttled': 'Changes throttled',
  'cross-site.refused': 'Request from another site refused',
  'object.foreign': 'Asked for data of another developer',
  'operator.granted': 'Became an operator through the provider',
  'operator.withdrawn': 'Lost the operator role through the provider',
  'operator.denied': 'Asked for an operator page',
  'operator.read': 'Read by an operator',
  'key.refused': 'API key refused',
  'key.exposed': 'API key sent in a URL',
  'key.throttled': 'Too many invalid API keys',
  'certificate.refused': 'Client certificate refused',
  'configuration.reloaded': 'Configuration reloaded',
  'configuration.refused': 'Configuration refused',
  'files.reloaded': 'Certificate files reloaded',
  'files.refused': 'Certificate files refused',
  'audit.broken': 'Audit log changed outside Tollgate',
}

/** An event in words; one of a newer version stays as it is. */
export function eventInWords(event: string): string {
  return eventWords[event] ?? event
}
