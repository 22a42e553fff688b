import { Big } from 'big.js'
import { addDays, addMonths } from '../domain/bank-time.ts'
import type { SandboxAccount } from './personas.ts'

/** One entry of a sandbox account, in the order in which they are booked. */
export interface SandboxEntry {
  readonly day: string
  readonly amount: string
  readonly name: string
  readonly iban: string | null
  readonly remittance: string
  readonly purposeCode: string | null
  readonly bankCode: string
  readonly status: 'booked' | 'pending'
}

/** What happens every month: the day of the month, the amount, and how much it varies by the month. */
const household = [
  {
    on: 1,
    amount: '11250.00',
    step: '0',
    name: 'Orion Software',
    iban: 'IL760311000000000765432',
    text: 'Salary',
    purpose: 'SALA',
    code: 'PMNT-RCDT-SALA',
  },
  {
    on: 2,
    amount: '-4300.00',
    step: '0',
    name: 'Carmel Housing',
    iban: 'IL090123450000000123456',
    text: 'Rent',
    purpose: 'RENT',
    code: 'PMNT-ICDT-STDO',
  },
  {
    on: 5,
    amount: '-312.40',
    step: '-17.35',
    name: 'Northern Electricity',
    iban: 'IL760311000000000765432',
    text: 'Electricity',
    purpose: 'ELEC',
    code: 'PMNT-RDDT-PMDD',
  },
  {
    on: 9,
    amount: '-486.15',
    step: '12.55',
    name: 'Market Hall',
    iban: null,
    text: 'Groceries',
    purpose: 'GDDS',
    code: 'PMNT-CCRD-POSD',
  },
  {
    on: 14,
    amount: '-89.90',
    step: '0',
    name: 'Telecom North',
    iban: 'IL760311000000000765432',
    text: 'Mobile phone',
    purpose: 'PHON',
    code: 'PMNT-RDDT-PMDD',
  },
  {
    on: 18,
    amount: '-128.70',
    step: '-4.20',
    name: 'Galil Water Works',
    iban: 'IL090123450000000123456',
    text: 'Water bill',
    purpose: 'WTER',
    code: 'PMNT-ICDT-DMCT',
  },
  {
    on: 23,
    amount: '-501.05',
    step: '9.90',
    name: 'Market Hall',
    iban: null,
    text: 'Groceries',
    purpose: 'GDDS',
    code: 'PMNT-CCRD-POSD',
  },
  {
    on: 27,
    amount: '-1500.00',
    step: '0',
    name: 'Rainy days',
    iban: 'IL910205710000000445566',
    text: 'Savings',
    purpose: null,
    code: 'PMNT-ICDT-STDO',
  },
] as const

const sparse = [
  {
    on: 3,
    amount: '650.00',
    step: '0',
    name: 'Dana Peretz',
    iban: 'IL090123450000000123456',
    text: 'Shared costs',
    purpose: null,
    code: 'PMNT-RCDT-DMCT',
  },
  {
    on: 20,
    amount: '-420.00',
    step: '-15',
    name: 'Carmel Housing',
    iban: 'IL090123450000000123456',
    text: 'Fees',
    purpose: null,
    code: 'PMNT-ICDT-DMCT',
  },
] as const

const lives = {
  household: { rows: household, months: 13 },
  sparse: { rows: sparse, months: 4 },
  none: { rows: [], months: 0 },
} as const

/** A standing order of a sandbox account. */
export interface SandboxStandingOrder {
  readonly amount: string
  readonly name: string
  readonly iban: string
  readonly remittance: string
  readonly startDay: string
  readonly endDay: string | null
  readonly frequency: 'Monthly' | 'Quarterly'
  readonly executionRule: 'following' | null
  readonly dayOfExecution: string
  readonly bankCode: string
}

/**
 * The standing orders of an account: a household pays rent and saves every
 * month, as its entries show, and from the next quarter on pays a tax for two years.
 */
export function sandboxStandingOrders(
  account: SandboxAccount,
  today: string,
): SandboxStandingOrder[] {
  if (account.life !== 'household') return []
  const firstOfMonth = `${today.slice(0, 8)}01`
  const monthly = household.flatMap(({ on, amount, name, iban, text, code }) =>
    code !== standingOrderCode || iban === null
      ? []
      : [
          {
            amount: amount.slice(1),
            name,
            iban,
            remittance: text,
            startDay: addDays(addMonths(firstOfMonth, -13), on - 1),
            endDay: null,
            frequency: 'Monthly' as const,
            executionRule: null,
            dayOfExecution: String(on),
            bankCode: bankCodeOf(code, account, iban),
          },
        ],
  )
  const quarterly = 'IL760311000000000765432'
  // Months 01, 04, 07, 10.
  const startDay = addDays(addMonths(firstOfMonth, 3 - ((Number(today.slice(5, 7)) - 1) % 3)), 14)
  return [
    ...monthly,
    {
      amount: '742.50',
      name: 'City of Haifa',
      iban: quarterly,
      remittance: 'Municipal tax',
      startDay,
      endDay: addMonths(startDay, 21),
      frequency: 'Quarterly',
      executionRule: 'following',
      dayOfExecution: '15',
      bankCode: bankCodeOf(standingOrderCode, account, quarterly),
    },
  ]
}

const standingOrderCode = 'PMNT-ICDT-STDO'

/** Standing orders into another country have a code of their own. */
function bankCodeOf(code: string, { iban: from }: SandboxAccount, to: string | null): string {
  const isAbroad = to !== null && to.slice(0, 2) !== from.slice(0, 2)
  return code === standingOrderCode && isAbroad ? 'PMNT-ICDT-XBST' : code
}

/**
 * Makes the entries of an account up to today, oldest first: the same for the
 * same day. A household has 8 entries in each of the last 13 months and two
 * pending ones.
 */
export function sandboxEntries(account: SandboxAccount, today: string): SandboxEntry[] {
  const { rows, months } = lives[account.life]
  const firstOfMonth = `${today.slice(0, 8)}01`
  const entries: SandboxEntry[] = []
  for (let back = months; back >= 0; back--) {
    const month = addMonths(firstOfMonth, -back)
    for (const row of rows) {
      const day = addDays(month, row.on - 1)
      // The first month begins on the same day of the month as today, the last one ends before it.
      if (day >= today || day < addMonths(today, -months)) continue
      entries.push({
        day,
        amount: new Big(row.step)
          .times(back % 5)
          .plus(row.amount)
          .toFixed(2),
        name: row.name,
        iban: row.iban,
        remittance: `${row.text} ${month.slice(5, 7)}/${month.slice(0, 4)}`,
        purposeCode: row.purpose,
        bankCode: bankCodeOf(row.code, account, row.iban),
        status: 'booked',
      })
    }
  }
  return account.life === 'household' ? [...entries, ...pendingEntries(today)] : entries
}

function pendingEntries(today: string): SandboxEntry[] {
  const shared = { purposeCode: null, status: 'pending', day: today } as const
  return [
    {
      ...shared,
      amount: '-64.50',
      name: 'Pixel Store',
      iban: null,
      remittance: 'Card payment',
      bankCode: 'PMNT-CCRD-POSD',
    },
    {
      ...shared,
      amount: '230.00',
      name: 'Dana Peretz',
      iban: 'IL090123450000000123456',
      remittance: 'Tickets',
      bankCode: 'PMNT-RCDT-DMCT',
    },
  ]
}

/** What a purchase in another currency was worth: the amount is `original × rate`, and the fee on top. */
export interface SandboxExchange {
  readonly amount: string
  readonly currency: string
  readonly rate: string
  readonly fee: string
  readonly feePercentage: string
}

/** A purchase by card of the sandbox. */
export interface SandboxPurchase {
  readonly day: string
  readonly amount: string
  readonly original: SandboxExchange | null
  readonly acceptor: string
  /** Null for a purchase without the card being there. */
  readonly terminal: string | null
  readonly town: string
  readonly country: string
  readonly category: string
}

const purchases: readonly Omit<SandboxPurchase, 'day'>[] = [
  {
    amount: '-189.90',
    original: {
      amount: '-49.99',
      currency: 'USD',
      rate: '3.7243',
      fee: '-3.72',
      feePercentage: '2.0',
    },
    acceptor: 'Pixel Store',
    terminal: null,
    town: 'Austin',
    country: 'US',
    category: '5732',
  },
  {
    amount: '-74.00',
    original: null,
    acceptor: 'Cafe Carmel',
    terminal: '04871123',
    town: 'Haifa',
    country: 'IL',
    category: '5812',
  },
  {
    amount: '-312.55',
    original: null,
    acceptor: 'Fuel Point',
    terminal: '04871207',
    town: 'Hadera',
    country: 'IL',
    category: '5541',
  },
  {
    amount: '-58.20',
    original: null,
    acceptor: 'Book Corner',
    terminal: '04872350',
    town: 'Tel Aviv',
    country: 'IL',
    category: '5942',
  },
]

/** Four purchases a month over the last 13 months, oldest first; the day tells whether they are billed. */
export function sandboxPurchases(today: string): SandboxPurchase[] {
  const all: SandboxPurchase[] = []
  for (let weeks = 56; weeks >= 0; weeks--) {
    const purchase = purchases[weeks % purchases.length]
    const day = addDays(today, -7 * weeks)
    if (purchase !== undefined && day >= addMonths(today, -13)) all.push({ ...purchase, day })
  }
  return all
}
