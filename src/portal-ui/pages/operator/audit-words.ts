const entities: Readonly<Record<string, string>> = {
  application: 'Application',
  configuration: 'Configuration',
  counter: 'Counters',
  developer: 'Developer',
  key: 'API key',
  mails: 'Mails',
  override: 'Limit override',
  session: 'Sessions',
  'sign-up': 'Sign-up',
  subscription: 'Subscription',
}

const verbs: Readonly<Record<string, string>> = {
  approve: 'approved',
  begin: 'begun',
  change: 'changed',
  create: 'created',
  delete: 'deleted',
  end: 'ended',
  expire: 'expired',
  issue: 'created',
  reload: 'reloaded',
  rename: 'renamed',
  replace: 'replaced',
  reset: 'reset',
  resume: 'resumed',
  revoke: 'revoked',
  suspend: 'suspended',
  switch: 'switched',
}

/** An action of the audit in words: `key.revoke` is "API key revoked"; one without words stays as it is. */
export function actionInWords(action: string): string {
  const [entity = '', verb = ''] = action.split('.')
  const noun = entities[entity]
  const done = verbs[verb] ?? verb.replaceAll('-', ' ')
  return noun === undefined || verb === '' ? action : `${noun} ${done}`
}

/** Who or what an actor or subject is, and its id: `developer:<id>` is "Developer" and the id. */
export function partyInWords(party: string): { readonly noun: string; readonly id: string } {
  const colon = party.indexOf(':')
  const kind = colon === -1 ? party : party.slice(0, colon)
  const id = colon === -1 ? '' : party.slice(colon + 1)
  const noun = entities[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1)
  return { noun, id }
}
