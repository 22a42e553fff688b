import type { Limit } from '../../catalogue/catalogue.ts'
import { shownWindow } from '../../catalogue/window-length.ts'
import type { PublishedLimit } from './schemas/catalogue.ts'

/** A limit of a plan as developers see it. */
export function publishedLimit({ name, calls, windowLength, scope }: Limit): PublishedLimit {
  return { name, calls, ...shownWindow(windowLength), scope }
}
