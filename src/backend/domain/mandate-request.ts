import type { AccountReference } from './access.ts'
import { type Amount, compare } from './money.ts'

interface Identifications {
  readonly others?: readonly {
    readonly identification: string
    readonly schemeNameCode?: string
    readonly schemeNameProprietary?: string
  }[]
}

/** A party to a mandate: the members that the bank uses. */
export interface Party {
  readonly name?: string
  readonly postalAddress?: { readonly addressLines?: readonly string[] }
  readonly identification?: {
    readonly organisationId?: Identifications
    readonly privateId?: Identifications
  }
}

/** The request for a mandate as the document describes it. The bank stores other members unchanged. */
export interface MandateRequest {
  readonly mandateId: string
  readonly type: {
    readonly localInstrumentCode?: string
    readonly localInstrumentProprietary?: string
    readonly serviceLevelCode?: string
    readonly serviceLevelProprietary?: string
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
  readonly creditorSchemeIdentification?: Party
  readonly creditor: Party
  readonly creditorAccount?: AccountReference
  readonly ultimateCreditor?: Party
  readonly debtor: Party
  readonly debtorAccount: AccountReference
  readonly ultimateDebtor?: Party
}

/** The code of the institution that collects through MASAV; undefined when the creditor has none. */
export function institutionOf({ creditor }: MandateRequest): string | undefined {
  return creditor.identification?.organisationId?.others?.[0]?.identification
}

/** The highest amount of a collection; undefined: any amount. A maximum of zero sets no ceiling. */
export function ceilingOf({ maximumAmount }: MandateRequest): Amount | undefined {
  return maximumAmount !== undefined && compare(maximumAmount.amount, '0') > 0
    ? maximumAmount
    : undefined
}

/** The first day of collections; undefined: no limit. */
export function firstDayOf({ occurrences }: MandateRequest): string | undefined {
  return occurrences?.firstCollectionDate ?? occurrences?.duration?.fromDate
}

/** The last day of collections; undefined: no limit. */
export function lastDayOf({ occurrences }: MandateRequest): string | undefined {
  return occurrences?.finalCollectionDate ?? occurrences?.duration?.toDate
}
