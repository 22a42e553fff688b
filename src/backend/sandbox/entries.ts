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
    code: 'PMNT-IDDT-PMDD',
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
    code: 'PMNT-IDDT-PMDD',
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
        bankCode: row.code,
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

/** A purchase by card of the sandbox. */
export interface SandboxPurchase {
  readonly day: string
  readonly amount: string
  readonly original: { readonly amount: string; readonly currency: string } | null
  readonly acceptor: string
  readonly town: string
  readonly country: string
  readonly category: string
}

const purchases: readonly Omit<SandboxPurchase, 'day'>[] = [
  {
    amount: '-189.90',
    original: { amount: '-49.99', currency: 'USD' },
    acceptor: 'Pixel Store',
    town: 'Austin',
    country: 'US',
    category: '5732',
  },
  {
    amount: '-74.00',
    original: null,
    acceptor: 'Cafe Carmel',
    town: 'Haifa',
    country: 'IL',
    category: '5812',
  },
  {
    amount: '-312.55',
    original: null,
    acceptor: 'Fuel Point',
    town: 'Hadera',
    country: 'IL',
    category: '5541',
  },
  {
    amount: '-58.20',
    original: null,
    acceptor: 'Book Corner',
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
