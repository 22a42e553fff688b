import type { AccountReference } from './access.ts'
import type { Amount } from './money.ts'

interface Identifications {
  readonly others?: readonly { readonly identification: string }[]
}

/** A party to a mandate, as far as the bank looks at it. */
export interface Party {
  readonly name?: string
  readonly identification?: {
    readonly organisationId?: Identifications
    readonly privateId?: Identifications
  }
}

/** The request for a mandate as the document describes it; members the bank does not look at are kept as they came. */
export interface MandateRequest {
  readonly mandateId: string
  readonly type: {
    readonly localInstrumentCode?: string
    readonly localInstrumentProprietary?: string
    readonly classificationCode?: string
  }
  readonly occurrences?: {
    readonly sequenceType: 'RCUR' | 'OOFF'
    readonly frequencyType?: string
    readonly duration?: { readonly fromDate: string; readonly toDate?: string }
    readonly firstCollectionDate?: string
    readonly finalCollectionDate?: string
  }
  readonly firstCollectionAmount?: Amount
  readonly collectionAmount?: Amount
  readonly maximumAmount?: Amount
  readonly creditor: Party
  readonly creditorAccount?: AccountReference
  readonly debtor: Party
  readonly debtorAccount: AccountReference
}
