/** What a new configuration does to applications that use what it changes. */
export type Harm =
  /** Calls that work stop working. */
  | 'removes'
  /** Some calls may fail, now or from an announced day. */
  | 'restricts'
  | 'none'

/** One difference between the active configuration and another one. */
export interface CatalogueChange {
  readonly kind:
    | 'version.added'
    | 'version.removed'
    | 'version.deprecated'
    | 'version.sunset'
    | 'version.successor'
    | 'version.retired'
    | 'version.prefix'
    | 'version.backend'
    | 'version.forwardHeaders'
    | 'operation.added'
    | 'operation.removed'
    | 'operation.changed'
    | 'plan.added'
    | 'plan.removed'
    | 'plan.mode'
    | 'plan.onStoreOutage'
    | 'plan.rehearsal'
    | 'offer.added'
    | 'offer.removed'
    | 'limit.added'
    | 'limit.removed'
    | 'limit.calls'
    | 'limit.window'
    | 'limit.scope'
    | 'limit.advertise'
  /** The version it is about; absent: every version of {@link plan}. */
  readonly api?: string
  readonly version?: string
  /** The id of the operation. */
  readonly operation?: string
  /** The plan it is about; absent: every plan. */
  readonly plan?: string
  /** The name of the limit. */
  readonly limit?: string
  /** What holds now, in words; absent: nothing. */
  readonly from?: string
  /** What would hold; absent: nothing. */
  readonly to?: string
  readonly harm: Harm
}
