import type { Operation } from '../../../catalogue/catalogue.ts'
import type { ConnectionShare } from '../../upstream/connection.ts'

/** The calls of one operation that are at the backend or waiting for it. */
export interface OperationLoad extends ConnectionShare {
  underway: number
  /** Octets of their bodies. */
  octets: number
}

export interface OperationLoadsOptions {
  /** Maximum number of calls at the backend or waiting for it. */
  readonly underwayMax: number
  /** Maximum octets of their bodies, and of those of other backends. */
  readonly octetsMax: number
  /** Octets of the bodies of all calls at a backend or waiting for one; what shares the memory shares this. */
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
export interface OperationLoads {
  of(operation: Operation): OperationLoad
  /** Whether the operation may have another call. */
  hasRoom(operation: Operation): boolean
  /** Counts a call with this many octets of body, whether there is room or not. */
  add(load: OperationLoad, octets: number): void
  remove(load: OperationLoad, octets: number): void
}

export function createOperationLoads(options: OperationLoadsOptions): OperationLoads {
  const { underwayMax, octetsMax, bodies } = options
  const loads = new WeakMap<Operation, OperationLoad>()
  let allUnderway = 0

  function of(operation: Operation): OperationLoad {
    const known = loads.get(operation)
    if (known !== undefined) return known
    const made = { connections: 0, underway: 0, octets: 0 }
    loads.set(operation, made)
    return made
  }

  return {
    of,
    hasRoom(operation) {
      const { underway, octets } = of(operation)
      return underway < underwayMax - allUnderway && octets < octetsMax - bodies.octets
    },
    add(load, octets) {
      load.underway += 1
      load.octets += octets
      allUnderway += 1
      bodies.octets += octets
    },
    remove(load, octets) {
      load.underway -= 1
      load.octets -= octets
      allUnderway -= 1
      bodies.octets -= octets
    },
  }
}
