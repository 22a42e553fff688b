/**
 * One URL for each server of a URL that names several, as libpq writes it:
 * `postgres://user:password@one:5432,two:5432/tollgate`. `target_session_attrs`
 * is left out: Tollgate always looks for the primary.
 */
export function serverUrls(url: string): readonly string[] {
  const [, start, servers = '', rest = ''] =
    /^(\w+:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(url) ?? []
  if (start === undefined) return [url]
  const ending = rest.replace(/([?&])target_session_attrs=[^&#]*&?/, '$1').replace(/[?&]$/, '')
  return servers.split(',').map((server) => `${start}${server}${ending}`)
}

/** What is wrong with the parameters of a database URL that concern its servers; undefined: nothing. */
export function databaseServersProblem(url: string): string | undefined {
  const attributes = /[?&]target_session_attrs=([^&#]*)/.exec(url)?.[1] ?? 'primary'
  if (['read-write', 'primary'].includes(attributes)) return undefined
  return 'target_session_attrs must be read-write or primary: Tollgate writes'
}
