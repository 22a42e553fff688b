import type { Check } from './check.ts'

export interface RoomOptions {
  /** Whether the backend's pool and queue take another call. */
  readonly hasRoom: () => boolean
}

/** Refuses when too much waits for the backend already; before the limit, so that nobody pays for it with a call. */
export function room({ hasRoom }: RoomOptions): Check {
  return (_call, next) => {
    next(hasRoom() ? undefined : { code: 'OVERLOADED', headers: { 'retry-after': '1' } })
  }
}
