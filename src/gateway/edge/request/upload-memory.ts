import type { Refusal } from '../../../platform/http/problem.ts'
import { Tally } from '../../../platform/tally.ts'
import type { Caller } from '../../../registry/registry.ts'

/**
 * Share of a developer in the memory that other developers leave. The shares
 * shrink as the memory fills, so it never becomes full: a small body finds room
 * without a reserve, and no body displaces another. The share is that of the
 * developer because one developer can register many applications. Of 64 MiB,
 * one developer can take 16 MiB, a second 12 of the other 48, a third 9 of 36.
 */
const partOfDeveloper = 1 / 4
/** Share of an application in what the other applications of its developer leave. */
const partOfApplication = 1 / 2

export type UploadOwner = Pick<Caller, 'applicationId' | 'developerId'>

/** Memory for the bodies of current calls, in octets. */
export interface UploadMemory {
  /** @returns the refusal if there is no room for this number of octets now; reserves nothing */
  refusal(owner: UploadOwner, octets: number): Refusal | undefined
  /** @returns the refusal if there is no room for this number of octets; undefined when they are reserved */
  take(owner: UploadOwner, octets: number): Refusal | undefined
  give(owner: UploadOwner, octets: number): void
  /** Octets reserved now. */
  octets(): number
}

/** Creates the memory, initially empty. */
export function createUploadMemory(octetsMax: number): UploadMemory {
  const applications = new Tally()
  const developers = new Tally()
  let sum = 0
  function refusal({ applicationId, developerId }: UploadOwner, octets: number) {
    const held = applications.of(applicationId)
    const ofDeveloper = developers.of(developerId)
    const share = (ofOthers: number): number =>
      ((octetsMax - ofOthers) * partOfDeveloper - (ofDeveloper - held)) * partOfApplication
    if (held + octets > share(0)) return exceeded
    return held + octets > share(sum - ofDeveloper) ? overloaded : undefined
  }
  return {
    refusal,
    take(owner, octets) {
      const refused = refusal(owner, octets)
      if (refused !== undefined) return refused
      sum += octets
      applications.add(owner.applicationId, octets)
      developers.add(owner.developerId, octets)
      return undefined
    },
    give({ applicationId, developerId }, octets) {
      sum -= octets
      applications.remove(applicationId, octets)
      developers.remove(developerId, octets)
    },
    octets: () => sum,
  }
}

const retrySoon = { 'retry-after': '1' }
const overloaded: Refusal = { code: 'OVERLOADED', headers: retrySoon }
const exceeded: Refusal = {
  code: 'CONCURRENCY_EXCEEDED',
  detail: 'The applications of this developer are sending too many large bodies at the same time.',
  headers: retrySoon,
}
