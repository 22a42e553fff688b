import { type AskedBucket, type MarkerPlace, onlyPlace } from './grant-script.ts'

/** The buckets that one server counts: all, or a part in a store of several servers. */
export interface Part {
  /** The server's name in the log; undefined when there is only one. */
  readonly name: string | undefined
  /** Whether the server must be a node of a cluster, or must not be one. */
  readonly isClusterNode: boolean
  isOurs(bucket: string): boolean
  /**
   * Asks the server which buckets it has, because this process may learn of
   * new ones later than the server. Rejects when that cannot be known now.
   */
  ownBuckets(): Promise<(bucket: string) => boolean>
  /** Where the marker belongs, which can change; undefined while the server has no buckets. */
  markerPlace(): MarkerPlace | undefined
  /** Replaces the run id of a server that reports none; empty when there is no substitute. */
  readonly runIdOtherwise: string
  /** Whether no count can be missing on the server, although it has no marker yet. */
  isComplete(): boolean
  /** Whether an error means that nothing ran, because the buckets are on another server or on their way to it. */
  isElsewhere(error: Error): boolean
  /** Whether an error means that the server is not, or may not be, the one to ask. */
  isMisplaced(error: Error): boolean
  /** The server is not, or may not be, the one to ask. */
  onMisplaced(): void
  /** Divides a push that one request cannot carry. Undefined when one request can, together with the marker. */
  readonly push?: DividedPush
}

/** The whole store, on one server at a time. */
export const wholeStore: Part = {
  name: undefined,
  isClusterNode: false,
  isOurs: () => true,
  ownBuckets: async () => () => true,
  markerPlace: () => onlyPlace,
  runIdOtherwise: '',
  isComplete: () => false,
  isElsewhere: () => false,
  isMisplaced: () => false,
  onMisplaced: () => undefined,
}

/** Pushes what one request cannot carry. @returns whether the server took everything */
export type DividedPush = (
  asked: readonly AskedBucket[],
  tools: {
    /**
     * The calls count as unsent again if the server no longer has this marker
     * afterwards; undefined when no additions are pushed.
     */
    readonly marker: number | undefined
    readMarker(): Promise<string | undefined>
    /** Pushes what one request can carry. */
    pushPart(asked: readonly AskedBucket[]): Promise<boolean>
    /** Counts the additions as unsent again. */
    giveBack(asked: readonly AskedBucket[]): void
  },
) => Promise<boolean>
