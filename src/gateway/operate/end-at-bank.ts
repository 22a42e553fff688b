import { once } from 'node:events'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { text } from 'node:stream/consumers'
import { type UpstreamCredentials, upstreamOptions } from '../../platform/http/tls.ts'
import type { Logger } from '../../platform/log/log.ts'
import { type Repetition, repeatedly } from '../../platform/process/repeatedly.ts'
import type { Watched } from '../../platform/settings/watched-files.ts'
import type { DeletedApplications } from '../../registry/applications/deleted-applications.ts'
import type { IdentitySigner } from '../edge/forward/identity.ts'

export interface EndAtBankOptions {
  readonly deleted: DeletedApplications
  readonly identity: Pick<IdentitySigner, 'tokenFor'>
  /** Addresses of the banks, as this process reaches them now. */
  readonly bankUrls: () => Iterable<string>
  /** What the gateway trusts and presents there; undefined: the public authorities, and nothing. */
  readonly tls: Watched<UpstreamCredentials> | undefined
  readonly log: Pick<Logger, 'info' | 'warn'>
}

const everyMs = 10_000
const deadlineMs = 30_000
const claimSeconds = 60
const pauseSecondsMin = 10
const pauseSecondsMax = 3_600

/** What a token names in place of an API and its version, so that no call can carry it. */
const ends = { api: 'tollgate', version: 'applications' } as const

/**
 * Reports to every bank which applications were deleted, so that it ends their
 * consents: `DELETE /applications/<id>` with a signed identity, repeated after
 * 10 s, 30 s, 90 s … at most an hour, until each has answered. Several processes
 * share the work. A backend that has no such route (404, 405, 501) is asked
 * twice and then left alone.
 */
export function endAtBank(options: EndAtBankOptions): Repetition {
  const { deleted, identity, tls, log } = options
  const ending = new AbortController()

  /** @returns undefined when the backend has no such route */
  async function tell(applicationId: string): Promise<Record<string, string> | undefined> {
    const urls = [...options.bankUrls()]
    const answers = await Promise.all(urls.map((url) => tellOne(applicationId, url)))
    const counts = answers.filter((answer) => answer !== undefined)
    return counts.length === 0 ? undefined : sumOf(counts)
  }

  async function tellOne(
    applicationId: string,
    bankUrl: string,
  ): Promise<Record<string, string> | undefined> {
    const url = new URL(`/applications/${applicationId}`, bankUrl)
    const caller = {
      applicationId,
      applicationName: '',
      isStrict: false,
      seals: [],
      redirectOrigins: [],
    }
    const request = url.protocol === 'https:' ? requestTls : requestPlain
    const sent = request(url, {
      ...(tls === undefined ? {} : upstreamOptions(tls.current())),
      rejectUnauthorized: true,
      method: 'DELETE',
      headers: { 'gateway-identity': identity.tokenFor(caller, ends, undefined) },
      agent: false,
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(deadlineMs)]),
    }).end()
    // `once` listens for errors only until the response begins.
    sent.on('error', () => undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const body = await text(response)
    const { statusCode = 0 } = response
    if ([404, 405, 501].includes(statusCode)) return undefined
    if (statusCode < 200 || statusCode > 299) {
      throw new Error(`the bank answered ${statusCode} to the end of an application`)
    }
    return countsIn(body)
  }

  async function tellAll(): Promise<void> {
    for (;;) {
      const next = ending.signal.aborted ? undefined : await deleted.claim(claimSeconds)
      if (next === undefined) return
      const { applicationId, attempts } = next
      try {
        const ended = await tell(applicationId)
        if (ended === undefined) {
          log.info({ applicationId }, 'the backend does not end consents of deleted applications')
        }
        await deleted.told(next, ended)
      } catch (err) {
        if (ending.signal.aborted) return deleted.postpone(applicationId, 0)
        const pauseSeconds = Math.min(pauseSecondsMin * 3 ** (attempts - 1), pauseSecondsMax)
        log.warn(
          { err, applicationId, attempts, pauseSeconds },
          'consents of a deleted application not ended at the bank: retrying',
        )
        await deleted.postpone(applicationId, pauseSeconds)
      }
    }
  }

  const repetition = repeatedly({
    everyMs,
    work: tellAll,
    onFailure: (err) => log.warn({ err }, 'failed to read the deleted applications'),
  })
  return {
    ...repetition,
    async close() {
      ending.abort()
      await repetition.close()
    },
  }
}

function sumOf(counts: readonly Record<string, string>[]): Record<string, string> {
  const sums: Record<string, string> = {}
  for (const [name, count] of counts.flatMap(Object.entries<string>)) {
    sums[name] = String(Number(sums[name] ?? 0) + Number(count))
  }
  return sums
}

/** What the bank ended, for the audit: three counts, or nothing from a backend that says nothing. */
function countsIn(body: string): Record<string, string> {
  const names = ['consents', 'payments', 'mandates']
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch {
    return {}
  }
  if (typeof said !== 'object' || said === null) return {}
  return Object.fromEntries(
    names.flatMap((name) => {
      const count: unknown = Reflect.get(said, name)
      return Number.isSafeInteger(count) ? [[name, String(count)]] : []
    }),
  )
}
