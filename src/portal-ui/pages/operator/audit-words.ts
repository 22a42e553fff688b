const entities: Readonly<Record<string, string>> = {
  application: 'Application',
  audit: 'Audit log',
  certificate: 'Certificate',
  configuration: 'Configuration',
  counter: 'Counters',
  developer: 'Developer',
  factor: 'Second factor',
  key: 'API key',
  mails: 'Emails',
  operator: 'Operator',
  override: 'Limit override',
  session: 'Sessions',
  staff: 'Staff member',
  'sign-up': 'Sign-up',
  subscription: 'Subscription',
}

const verbs: Readonly<Record<string, string>> = {
  add: 'added',
  approve: 'approved',
  begin: 'begun',
  block: 'blocked',
  change: 'changed',
  create: 'created',
  delete: 'deleted',
  end: 'ended',
  expire: 'expired',
  issue: 'created',
  reload: 'reloaded',
  remove: 'removed',
  rename: 'renamed',
  replace: 'replaced',
  reset: 'reset',
  resume: 'resumed',
  revoke: 'revoked',
  suspend: 'suspended',
  switch: 'switched',
  unblock: 'unblocked',
  update: 'changed',
}

/** Actions that are not a noun and a verb. */
const wholes: Readonly<Record<string, string>> = {
  'application.end-at-bank': 'Consents ended at the bank',
  'audit.change-key': 'Signing key of the audit log replaced',
  'audit.lose-entry': 'Entry removed before it was sealed',
  'audit.prune': 'Old audit entries removed',
  'audit.resume': 'Audit chain resumed',
  'developer.change-email': 'Email address changed',
  'developer.accept-terms': 'Terms accepted',
  'developer.choose-mails': 'Email preferences changed',
  'developer.pause-sign-in': 'Sign-in paused after wrong passwords',
  'developer.reset-password': 'Password reset',
  'developer.sign-up': 'Developer signed up',
  'developer.update': 'Profile changed',
  'factor.issue-enrolment': 'Enrolment link issued',
  'factor.replace-recovery-codes': 'Recovery codes replaced',
  'factor.use-recovery-code': 'Recovery code used',
  'factor.warn': 'Owner warned of wrong codes',
  'session.begin': 'Signed in',
  'session.end': 'Signed out',
  'session.end-all': 'Signed out everywhere',
}

/** An audit action in words: `key.revoke` is "API key revoked". Unknown actions stay as they are. */
export function actionInWords(action: string): string {
  const whole = wholes[action]
  if (whole !== undefined) return whole
  const [entity = '', verb = ''] = action.split('.')
  const noun = entities[entity]
  const done = verbs[verb] ?? verb.replaceAll('-', ' ')
  return noun === undefined || verb === '' ? action : `${noun} ${done}`
}

/** The kind and id of an actor or subject: `developer:<id>` is "Developer" and the id. */
export function partyInWords(party: string): { readonly noun: string; readonly id: string } {
  const colon = party.indexOf(':')
  const kind = colon === -1 ? party : party.slice(0, colon)
  const id = colon === -1 ? '' : party.slice(colon + 1)
  const noun = entities[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1)
  return { noun, id }
}
