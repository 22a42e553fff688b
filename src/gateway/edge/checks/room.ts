import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'
import type { RoutedCall } from '../call.ts'
import type { Judge } from '../run-checks.ts'

export interface RoomOptions {
  /** Whether the backend's pool and queue have room for another call of the operation. */
  readonly hasRoom: (version: ApiVersion, operation: Operation) => boolean
}

/**
 * Refuses when too many calls already wait for the backend, or as if they did
 * (drill `503`). Runs before the limit, so that such a refusal is not counted.
 */
export function room({ hasRoom }: RoomOptions): Judge<RoutedCall> {
  return (call, next) => {
    const isFree = call.drill !== '503' && hasRoom(call.version, call.operation)
    next(isFree ? call : { code: 'OVERLOADED', headers: { 'retry-after': '1' } })
  }
}
