import type { Operation } from '../../../catalogue/catalogue.ts'
import type { ConnectionUse } from '../../upstream/connection.ts'

/** What one operation uses of the way to the backend: connections, and calls there or waiting for one. */
export interface OperationUse extends ConnectionUse {
  underway: number
  /** Octets of their bodies. */
  octets: number
}

export interface OperationUsesOptions {
  /** Maximum number of calls at the backend or waiting for it. */
  readonly underwayMax: number
  /** Maximum octets of their bodies, and of those of other backends. */
  readonly octetsMax: number
  /** Octets of the bodies of all calls at a backend or waiting for one; all backends have the same object. */
  readonly bodies: { octets: number }
}

/**
 * Divides the way to the backend among the operations, so that slow ones leave
 * room for the others. An operation gets another place only while it has fewer
 * than are free, and so it is with memory for bodies and with the connections
 * of the pool. One slow operation can take half, two a third each, seven an
 * eighth each. This is a dynamic threshold with the factor 1 (Choudhury and
 * Hahne, "Dynamic queue length thresholds for shared-memory packet switches",
 * 1998).
 */
export interface OperationUses {
  of(operation: Operation): OperationUse
  /** Whether the operation may have another call. */
  hasRoom(operation: Operation): boolean
  /** Counts a call with this many octets of body, whether there is room or not. */
  add(use: OperationUse, octets: number): void
  remove(use: OperationUse, octets: number): void
}

export function createOperationUses(options: OperationUsesOptions): OperationUses {
  const { underwayMax, octetsMax, bodies } = options
  const uses = new WeakMap<Operation, OperationUse>()
  let allUnderway = 0

  function of(operation: Operation): OperationUse {
    const known = uses.get(operation)
    if (known !== undefined) return known
    const made = { connections: 0, underway: 0, octets: 0 }
    uses.set(operation, made)
    return made
  }

  return {
    of,
    hasRoom(operation) {
      const { underway, octets } = of(operation)
      return underway < underwayMax - allUnderway && octets < octetsMax - bodies.octets
    },
    add(use, octets) {
      use.underway += 1
      use.octets += octets
      allUnderway += 1
      bodies.octets += octets
    },
    remove(use, octets) {
      use.underway -= 1
      use.octets -= octets
      allUnderway -= 1
      bodies.octets -= octets
    },
  }
}
