import type { ColumnType, JSONColumnType } from 'kysely'
import type { AccountAccess, Right } from '../domain/access.ts'
import type { ScaApproach, ScaStatus } from '../domain/authorisation.ts'
import type { ConsentStatus } from '../domain/consent.ts'
import type { MandateReason, MandateStatus } from '../domain/mandate.ts'
import type { MandateRequest } from '../domain/mandate-request.ts'
import type { TransactionStatus } from '../domain/payment.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import type { PsuBehaviour } from '../domain/psu.ts'

// Conventions: money is a decimal text, a day is `YYYY-MM-DD`, an instant is a Date.

/** Set on insert, never updated. */
type Fixed<Type> = ColumnType<Type, Type, never>
/** Increases in the order of creation; the database assigns it. */
type Numbered = ColumnType<number, never, never>

/** A person who owns accounts at the bank. */
export interface PsuTable {
  id: Fixed<string>
  alias: Fixed<string>
  name: string
  behaviour: PsuBehaviour
  corporateId: string | null
}

/** An empty application stands for all applications. */
export interface PsuAttemptsTable {
  psuId: string
  applicationId: Fixed<string>
  failures: number
  failedAt: Date
}

/** What an account and a card account have in common. */
interface HeldAccount {
  id: Fixed<string>
  psuId: Fixed<string>
  position: number
  name: string
  product: string
  usage: 'PRIV' | 'ORGA'
  status: 'enabled' | 'blocked' | 'deleted'
  ownerName: string
  creditLimit: string
  displayName: string | null
  details: string | null
}

export interface AccountTable extends HeldAccount {
  iban: Fixed<string>
  currency: Fixed<string>
  cashAccountType: string
  bic: string
  booked: string
  changedAt: Date
  lastSequence: number
  lastDay: string | null
  linkedAccounts: string | null
}

export interface TransactionTable {
  id: Fixed<string>
  accountId: Fixed<string>
  sequence: Fixed<number>
  status: 'booked' | 'pending'
  day: string
  valueDay: string
  amount: Fixed<string>
  currency: Fixed<string>
  counterpartyName: string | null
  counterpartyIban: string | null
  remittance: string | null
  endToEndId: string | null
  purposeCode: string | null
  bankCode: string
  proprietaryCode: string | null
  balanceAfter: string | null
  paymentId: string | null
  mandateId: string | null
}

export interface StandingOrderTable {
  id: Fixed<string>
  accountId: Fixed<string>
  amount: string
  currency: string
  creditorName: string
  creditorIban: string
  remittance: string
  startDay: string
  endDay: string | null
  frequency: string
  executionRule: 'preceding' | 'following' | null
  dayOfExecution: string
  bankCode: string
}

export interface CardAccountTable extends HeldAccount {
  iban: string
  maskedPan: string
  currency: string
}

export interface CardTransactionTable {
  id: Fixed<string>
  cardAccountId: Fixed<string>
  sequence: Fixed<number>
  status: 'booked' | 'pending'
  transactionDay: string
  acceptedAt: Date
  bookingDay: string | null
  dueDay: string | null
  invoiced: boolean
  amount: string
  currency: string
  originalAmount: string | null
  originalCurrency: string | null
  acceptorName: string
  acceptorTown: string
  acceptorCountry: string
  merchantCategory: string
  terminalId: string | null
  exchangeRate: string | null
  markupFee: string | null
  markupFeePercentage: string | null
}

export interface DeltaReportTable {
  applicationId: Fixed<string>
  psuId: Fixed<string>
  accountId: Fixed<string>
  afterSequence: number
  lastSequence: number
}

export interface PaymentTable {
  id: Fixed<string>
  applicationId: Fixed<string>
  product: Fixed<string>
  body: JSONColumnType<PaymentInitiation>
  amount: Fixed<string>
  currency: Fixed<string>
  status: TransactionStatus
  psuId: string | null
  debtorAccountId: string | null
  executeAt: Date | null
  settleAt: Date | null
  dueAt: Date | null
  attempts: ColumnType<number, number | undefined, number>
  rejectsWithoutFunds: boolean
  fundsAvailable: boolean | null
  number: Numbered
  createdAt: Fixed<Date>
}

export interface ConsentTable {
  id: Fixed<string>
  applicationId: Fixed<string>
  psuId: string | null
  access: JSONColumnType<AccountAccess>
  recurring: boolean
  validUntil: string
  frequencyPerDay: number
  status: ConsentStatus
  lastActionDay: string
  firstUsedAt: Date | null
  createdAt: Fixed<Date>
}

export interface ConsentAccessTable {
  consentId: Fixed<string>
  kind: Fixed<'account' | 'cardAccount'>
  resourceId: Fixed<string>
  rightName: Fixed<Right>
}

export interface ConsentUseTable {
  consentId: Fixed<string>
  day: Fixed<string>
  target: Fixed<string>
  uses: number
}

export interface MandateTable {
  id: Fixed<string>
  applicationId: Fixed<string>
  psuId: Fixed<string>
  body: JSONColumnType<MandateRequest>
  reference: Fixed<string>
  creditor: Fixed<string>
  status: MandateStatus
  reason: MandateReason | null
  endsOn: string | null
  collectedOn: string | null
  lastActionDay: string
  createdAt: Fixed<Date>
}

export interface AuthorisationTable {
  id: Fixed<string>
  paymentId: Fixed<string | null>
  consentId: Fixed<string | null>
  mandateId: Fixed<string | null>
  purpose: Fixed<'creation' | 'cancellation'>
  approach: ScaApproach
  status: ScaStatus
  psuId: string | null
  methodId: string | null
  passwordFailures: ColumnType<number, number | undefined, number>
  otpFailures: ColumnType<number, number | undefined, number>
  redirectUri: string | null
  nokRedirectUri: string | null
  applicationName: ColumnType<string | null, string | null | undefined, never>
  brand: ColumnType<string | null, string | null | undefined, never>
  answersAt: Date | null
  sessionSha256: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  picked: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
  confirmationCode: ColumnType<string | null, string | null | undefined, string | null>
  confirmationFailures: ColumnType<number, number | undefined, number>
  /** Signs the forms of its pages; the database makes it. */
  formKey: ColumnType<Buffer, never, never>
  number: Numbered
  createdAt: Fixed<Date>
}

export interface IdempotencyTable {
  applicationId: Fixed<string>
  path: Fixed<string>
  requestId: Fixed<string>
  bodySha256: Buffer
  answer: string | null
  createdAt: Date
}

/** The tables of schema `bank` with the names in the code; a plugin translates them to snake case. */
export interface BankSchema {
  psus: PsuTable
  psuAttempts: PsuAttemptsTable
  accounts: AccountTable
  transactions: TransactionTable
  deltaReports: DeltaReportTable
  standingOrders: StandingOrderTable
  cardAccounts: CardAccountTable
  cardTransactions: CardTransactionTable
  payments: PaymentTable
  consents: ConsentTable
  consentAccess: ConsentAccessTable
  consentUses: ConsentUseTable
  mandates: MandateTable
  authorisations: AuthorisationTable
  idempotency: IdempotencyTable
}
