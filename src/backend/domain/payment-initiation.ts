import { type AccountReference, referenceMembers } from './access.ts'
import { type Kept, keep } from './keep.ts'
import type { Amount } from './money.ts'

/** The initiation of a payment: the members that the bank uses. */
export interface PaymentInitiation {
  readonly endToEndIdentification?: string
  readonly debtorAccount?: AccountReference
  readonly instructedAmount: Amount
  readonly creditorAccount: AccountReference
  readonly creditorAgent?: string
  readonly creditorName: string
  readonly purposeCode?: string
  readonly chargeBearer?: string
  readonly remittanceInformationUnstructured?: string
  readonly remittanceInformationStructured?: {
    readonly reference: string
    readonly referenceType?: string
  }
  readonly requestedExecutionDate?: string
  readonly requestedExecutionTime?: string
}

const members = {
  endToEndIdentification: true,
  instructionIdentification: true,
  debtorAccount: referenceMembers,
  debtorId: true,
  debtorName: true,
  ultimateDebtor: true,
  instructedAmount: { currency: true, amount: true },
  creditorAccount: referenceMembers,
  creditorAgent: true,
  creditorAgentName: true,
  creditorName: true,
  creditorAddress: {
    streetName: true,
    buildingNumber: true,
    townName: true,
    postCode: true,
    country: true,
  },
  creditorId: true,
  ultimateCreditor: true,
  purposeCode: true,
  chargeBearer: true,
  remittanceInformationUnstructured: true,
  remittanceInformationUnstructuredArray: true,
  remittanceInformationStructured: { reference: true, referenceType: true, referenceIssuer: true },
  requestedExecutionDate: true,
  requestedExecutionTime: true,
} as const satisfies Kept

/** Reads an initiation that matches its document, and drops unknown members. */
export function readPaymentInitiation(body: object): PaymentInitiation {
  // The document has checked every member that is kept.
  return keep(body, members) as PaymentInitiation
}
