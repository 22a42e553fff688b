import type { Page } from 'playwright-core'
import type { Words } from '../../../src/messages/format.ts'
import type { PortalWorld, Viewer } from '../portal-world.ts'

/** One page in one state worth looking at. */
export interface PageState {
  /** Also the name of its picture. */
  readonly name: string
  readonly viewer: Viewer
  readonly path: string | ((world: PortalWorld) => string)
  /**
   * Brings the page from its beginning into the state; ends when it is there.
   * A state that is pictured looks for the words it is given, since it is seen
   * in every language; any other is prepared in English only.
   */
  readonly prepare?: (page: Page, world: PortalWorld, words: Words) => Promise<unknown>
  /** Answers of 400 and above it causes, as a visit expects them. */
  readonly answers?: readonly string[]
  /** Whether documentation shows it. */
  readonly isPictured?: boolean
  /** Whether the portal has the brand of a bank. */
  readonly isBranded?: boolean
}
