import type { TollgateProcess } from '../../test/support/tollgate.ts'

/** Remembers the end of every gateway's log, and later reports lines that should not have been added since. */
export function watchCrashes(gateways: readonly TollgateProcess[]): () => Promise<string[]> {
  const marks = gateways.map((gateway) => ({ gateway, from: gateway.output.stderr.length }))
  return async () => {
    const found: string[] = []
    for (const [place, { gateway, from }] of marks.entries()) {
      const ended = await Promise.race([gateway.ended, undefined])
      if (ended !== undefined && ended !== 'SIGKILL') found.push(`gateway ${place} ended: ${ended}`)
      for (const line of gateway.output.stderr.slice(from).split('\n')) {
        if (isAlarming(line)) found.push(`gateway ${place}: ${line.slice(0, 200)}`)
      }
    }
    return found
  }
}

/** Anything but a line of the log, which is JSON, and lines of the log about something unforeseen. */
function isAlarming(line: string): boolean {
  if (line === '') return false
  if (!line.startsWith('{')) return true
  return /"level":"(?:error|fatal)"/.test(line)
}
