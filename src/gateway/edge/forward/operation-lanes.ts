import type { Operation } from '../../../catalogue/catalogue.ts'
import type { Lane } from '../../upstream/connection.ts'

/** The calls of one operation that are at the backend or waiting for it. */
export interface OperationLane extends Lane {
  underway: number
  /** Octets of their bodies. */
  octets: number
}

export interface OperationLanesOptions {
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
export interface OperationLanes {
  of(operation: Operation): OperationLane
  /** Whether the operation may have another call. */
  hasRoom(operation: Operation): boolean
  /** Counts a call with this many octets of body, whether there is room or not. */
  enter(lane: OperationLane, octets: number): void
  leave(lane: OperationLane, octets: number): void
}

export function createOperationLanes(options: OperationLanesOptions): OperationLanes {
  const { underwayMax, octetsMax, bodies } = options
  const lanes = new WeakMap<Operation, OperationLane>()
  let allUnderway = 0

  function of(operation: Operation): OperationLane {
    const known = lanes.get(operation)
    if (known !== undefined) return known
    const made = { connections: 0, underway: 0, octets: 0 }
    lanes.set(operation, made)
    return made
  }

  return {
    of,
    hasRoom(operation) {
      const { underway, octets } = of(operation)
      return underway < underwayMax - allUnderway && octets < octetsMax - bodies.octets
    },
    enter(lane, octets) {
      lane.underway += 1
      lane.octets += octets
      allUnderway += 1
      bodies.octets += octets
    },
    leave(lane, octets) {
      lane.underway -= 1
      lane.octets -= octets
      allUnderway -= 1
      bodies.octets -= octets
    },
  }
}
