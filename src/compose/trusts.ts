import type { Trust } from '../certificates/trust.ts'
import type { Watched } from '../platform/settings/watched-files.ts'
import type { Certificates } from './certificates.ts'
import type { SandboxPlace, SandboxTrustOptions } from './sandbox-trust.ts'

export interface TrustsOptions
  extends Pick<Certificates, 'clientTrust'>,
    Pick<SandboxTrustOptions, 'log' | 'lifetime'> {
  /** Undefined: no sandbox. */
  readonly sandbox: SandboxPlace | undefined
}

/**
 * Gathers the authorities of certificates: those of the operator's files, and
 * that of the sandbox.
 *
 * @returns a function whose result is another list after each change
 */
export async function openTrusts(options: TrustsOptions): Promise<() => readonly Trust[]> {
  const { clientTrust, sandbox, log, lifetime } = options
  const sources: Watched<Trust>[] = clientTrust === undefined ? [] : [clientTrust]
  if (sandbox !== undefined) {
    const { openSandboxTrust } = await import('./sandbox-trust.ts')
    sources.push(await openSandboxTrust({ ...sandbox, log, lifetime }))
  }
  const current = () => sources.map((source) => source.current())
  let trusts = current()
  for (const source of sources) {
    source.onChange(() => {
      trusts = current()
    })
  }
  return () => trusts
}
