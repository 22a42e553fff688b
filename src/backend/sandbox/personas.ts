import { aggregateCurrency } from '../domain/multicurrency.ts'
import type { PsuBehaviour } from '../domain/psu.ts'

/** One account of a person, before its entries. */
export interface SandboxAccount {
  readonly id: string
  readonly iban: string
  readonly currency: string
  readonly cashAccountType: 'CACC' | 'SVGS'
  readonly name: string
  /** Chosen by the customer. */
  readonly displayName?: string
  readonly details?: string
  readonly linkedAccounts?: string
  readonly product: string
  readonly usage: 'PRIV' | 'ORGA'
  readonly status: 'enabled' | 'blocked' | 'deleted'
  readonly creditLimit: string
  readonly opening: string
  /** Its entries: 13 months of a household, a few, or none. */
  readonly life: 'household' | 'sparse' | 'none'
}

/** A card settled through the customer's first account. */
export interface SandboxCard {
  readonly id: string
  readonly maskedPan: string
  readonly displayName: string
  readonly details: string
}

export interface SandboxPsu {
  readonly id: string
  readonly alias: string
  readonly name: string
  readonly behaviour: PsuBehaviour
  /** Id of the organisation that the customer acts for. */
  readonly corporateId?: string
  readonly accounts: readonly SandboxAccount[]
  readonly card?: SandboxCard
}

const current = {
  currency: 'ILS',
  cashAccountType: 'CACC',
  name: 'Main current account',
  product: 'Current account',
  usage: 'PRIV',
  status: 'enabled',
  creditLimit: '2000',
  opening: '12000',
  life: 'sparse',
} as const

const multicurrency = { product: 'Multicurrency account' } as const

/**
 * The customers of the sandbox (docs/sandbox.md). Their ids never change,
 * because consents, scripts and documents refer to them. The nine-digit ids and
 * all IBANs have valid check digits. Some names are Hebrew, so that an
 * application gets right-to-left text.
 */
export const sandboxPsus: readonly SandboxPsu[] = [
  {
    id: '305567661',
    alias: 'PSU-Successful',
    name: 'Noa Levi',
    behaviour: 'successful',
    accounts: [
      {
        ...current,
        id: '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55',
        iban: 'IL030205710000000200285',
        displayName: 'Home',
        details: 'Salary, standing orders and the invoices of the card 453201xxxxxx8812',
        life: 'household',
      },
      {
        ...current,
        id: '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10',
        iban: 'IL910205710000000445566',
        cashAccountType: 'SVGS',
        name: 'Rainy days',
        displayName: 'New bicycle',
        linkedAccounts: 'IL030205710000000200285',
        product: 'Savings account',
        creditLimit: '0',
        opening: '48000',
      },
      {
        ...current,
        id: 'a4c8d2b1-0e57-4f0e-b8a4-2c6b1f9e3d20',
        iban: 'IL030205710000000200285',
        currency: 'USD',
        name: 'Dollar sub-account',
        creditLimit: '0',
        opening: '1850',
      },
    ],
    card: {
      id: '77b1f3a0-0d55-4a2f-8d3c-20a6a3c1e901',
      maskedPan: '453201xxxxxx8812',
      displayName: 'Everyday card',
      details: 'Settled on the 10th of the month through IL030205710000000200285',
    },
  },
  {
    id: '123456782',
    alias: 'PSU-Rejected',
    name: 'Avi Katz',
    behaviour: 'rejected',
    accounts: [
      {
        ...current,
        id: '0d9f5f0e-6c64-4d0c-8a5e-7b1f5b0a1a31',
        iban: 'IL510205710000000778899',
      },
    ],
  },
  {
    id: '054321989',
    alias: 'PSU-Blocked',
    name: 'Ruth Mizrahi',
    behaviour: 'blocked',
    accounts: [
      {
        ...current,
        id: '0d9f5f0e-6c64-4d0c-8a5e-7b1f5b0a1a32',
        iban: 'IL900205719000000000001',
        life: 'none',
      },
    ],
  },
  ...persona(1, 'PSU-InternalLimit', 'Yael Bar', 'internalLimit', {}),
  ...persona(2, 'PSU-Cancellation-Rejected', 'Omer Peretz', 'cancellationRejected', {}),
  ...persona(3, 'PSU-ConsentExpired', 'תמר אזולאי', 'consentExpired', {}),
  ...persona(4, 'PSU-ConsentRevokedByPsu', 'Eitan Biton', 'consentRevoked', {}),
  // Accounts for edge cases.
  ...persona(5, 'PSU-NegativeBalance', 'ליאור דהן', 'successful', {
    opening: '-850.40',
    creditLimit: '3000',
  }),
  ...persona(6, 'PSU-NoTransactions', 'Maya Gabay', 'successful', { opening: '0', life: 'none' }),
  ...persona(7, 'PSU-AccountBlocked', 'Gil Hadad', 'successful', { status: 'blocked' }),
  ...persona(8, 'PSU-Corporate', 'Galil Water Works', 'successful', {
    usage: 'ORGA',
    name: 'Business account',
    opening: '260000',
    creditLimit: '50000',
  }).map((psu) => ({ ...psu, corporateId: '510000011' })),
  ...persona(9, 'PSU-ServiceBlocked', 'Shira Malka', 'serviceBlocked', {}),
  ...persona(10, 'PSU-ConsentSuspended', 'Daniel Ohana', 'consentSuspended', {}),
  // Other ways to approve.
  ...persona(11, 'PSU-Exempted', 'Michal Friedman', 'exempted', {}),
  ...persona(12, 'PSU-OneMethod', 'יוסי עמר', 'oneMethod', {}),
  ...persona(13, 'PSU-Confirmation', 'רבקה שטרן', 'confirmation', {}),
  ...persona(14, 'PSU-AccountClosed', 'Haim Vaknin', 'successful', { status: 'deleted' }),
  // Sub-accounts of one IBAN, and the account that combines them.
  ...persona(
    15,
    'PSU-Multicurrency',
    'ליאת שפירא',
    'successful',
    { ...multicurrency, name: 'Shekels', displayName: 'At home', life: 'household' },
    { ...multicurrency, name: 'Euros', currency: 'EUR', opening: '3200', creditLimit: '0' },
    { ...multicurrency, name: 'Dollars', currency: 'USD', opening: '5400', creditLimit: '0' },
    {
      ...multicurrency,
      name: 'All currencies',
      details: 'Gathers the sub-accounts in ILS, EUR and USD',
      currency: aggregateCurrency,
      opening: '0',
      creditLimit: '0',
      life: 'none',
    },
  ),
  {
    id: 'anton.brueckner',
    alias: 'PSU-Euro',
    name: 'Anton Brueckner',
    behaviour: 'successful',
    accounts: [
      {
        ...current,
        id: '5c1d4b7e-2f0a-4a6b-9e11-8d2c7f3a6b40',
        iban: 'DE89370400440532013000',
        currency: 'EUR',
        opening: '7400',
        life: 'household',
      },
      {
        ...current,
        id: '5c1d4b7e-2f0a-4a6b-9e11-8d2c7f3a6b41',
        iban: 'NL91ABNA0417164300',
        currency: 'EUR',
        name: 'Second account',
        opening: '900',
      },
    ],
  },
  // Can be debited by B2B mandates.
  {
    id: 'brueckner.bau',
    alias: 'PSU-EuroCorporate',
    name: 'Brueckner Bau',
    behaviour: 'successful',
    accounts: [
      {
        ...current,
        id: '5c1d4b7e-2f0a-4a6b-9e11-8d2c7f3a6b42',
        iban: 'DE62370400440532013001',
        currency: 'EUR',
        usage: 'ORGA',
        name: 'Business account',
        opening: '52000',
        creditLimit: '10000',
      },
    ],
  },
]

/** Another customer with one account, or several with one IBAN; the number determines the ids. */
function persona(
  number: number,
  alias: string,
  name: string,
  behaviour: PsuBehaviour,
  ...accounts: readonly Partial<SandboxAccount>[]
): SandboxPsu[] {
  const digits = String(number).padStart(2, '0')
  return [
    {
      id: withCheckDigit(`310000${digits}`),
      alias,
      name,
      behaviour,
      accounts: accounts.map((account, index) => ({
        ...current,
        id: `0d9f5f0e-6c64-4d0c-8a5e-7b1f5b0a${index + 1}b${digits}`,
        iban: ibanOf(number),
        ...account,
      })),
    },
  ]
}

/** An Israeli identity number: eight digits and a check digit with weights 1 and 2 in turn. */
export function withCheckDigit(digits: string): string {
  const sum = [...digits]
    .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
    .reduce((total, product) => total + (product > 9 ? product - 9 : product), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

/** An IBAN of this bank (020) with its check digits (ISO 7064). */
function ibanOf(number: number): string {
  const account = `0205710000000${String(900000 + number)}`
  // I is 18 and L is 21.
  const check = 98n - (BigInt(`${account}182100`) % 97n)
  return `IL${String(check).padStart(2, '0')}${account}`
}
