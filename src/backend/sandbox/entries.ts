import { Big } from 'big.js'
import { addDays, addMonths } from '../domain/bank-time.ts'
import type { SandboxAccount } from './personas.ts'

/** One entry of a sandbox account; lists are in booking order. */
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

/** Monthly entries: the day of the month, the amount, and its variation. Accounts in Israel show them in Hebrew. */
const household = [
  {
    on: 1,
    amount: '11250.00',
    step: '0',
    name: { en: 'Orion Software', he: 'אוריון תוכנה' },
    iban: 'IL760311000000000765432',
    text: { en: 'Salary', he: 'משכורת' },
    purpose: 'SALA',
    code: 'PMNT-RCDT-SALA',
  },
  {
    on: 2,
    amount: '-4300.00',
    step: '0',
    name: { en: 'Carmel Housing', he: 'דיור הכרמל' },
    iban: 'IL090123450000000123456',
    text: { en: 'Rent', he: 'שכר דירה' },
    purpose: 'RENT',
    code: 'PMNT-ICDT-STDO',
  },
  {
    on: 5,
    amount: '-312.40',
    step: '-17.35',
    name: { en: 'Northern Electricity', he: 'חשמל הצפון' },
    iban: 'IL760311000000000765432',
    text: { en: 'Electricity', he: 'חשבון חשמל' },
    purpose: 'ELEC',
    code: 'PMNT-RDDT-PMDD',
  },
  {
    on: 9,
    amount: '-486.15',
    step: '12.55',
    name: { en: 'Market Hall', he: 'שוק העיר' },
    iban: null,
    text: { en: 'Groceries', he: 'מכולת' },
    purpose: 'GDDS',
    code: 'PMNT-CCRD-POSD',
  },
  {
    on: 14,
    amount: '-89.90',
    step: '0',
    name: { en: 'Telecom North', he: 'Telecom צפון' },
    iban: 'IL760311000000000765432',
    text: { en: 'Mobile phone', he: 'חבילת 5G' },
    purpose: 'PHON',
    code: 'PMNT-RDDT-PMDD',
  },
  {
    on: 18,
    amount: '-128.70',
    step: '-4.20',
    name: { en: 'Galil Water Works', he: 'מי הגליל' },
    iban: 'IL090123450000000123456',
    text: { en: 'Water bill', he: 'חשבון מים' },
    purpose: 'WTER',
    code: 'PMNT-ICDT-DMCT',
  },
  {
    on: 23,
    amount: '-501.05',
    step: '9.90',
    name: { en: 'Market Hall', he: 'שוק העיר' },
    iban: null,
    text: { en: 'Groceries', he: 'מכולת' },
    purpose: 'GDDS',
    code: 'PMNT-CCRD-POSD',
  },
  {
    on: 27,
    amount: '-1500.00',
    step: '0',
    name: { en: 'Rainy days', he: 'חיסכון לימים קשים' },
    iban: 'IL910205710000000445566',
    text: { en: 'Savings', he: 'חיסכון' },
    purpose: null,
    code: 'PMNT-ICDT-STDO',
  },
] as const

const sparse = [
  {
    on: 3,
    amount: '650.00',
    step: '0',
    name: { en: 'Dana Peretz', he: 'דנה פרץ' },
    iban: 'IL090123450000000123456',
    text: { en: 'Shared costs', he: 'הוצאות משותפות' },
    purpose: null,
    code: 'PMNT-RCDT-DMCT',
  },
  {
    on: 20,
    amount: '-420.00',
    step: '-15',
    name: { en: 'Carmel Housing', he: 'דיור הכרמל' },
    iban: 'IL090123450000000123456',
    text: { en: 'Fees', he: 'דמי ניהול' },
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
 * The standing orders of an account. A household pays rent and saves every month,
 * as its entries show; from the next quarter it also pays a tax for two years.
 */
export function sandboxStandingOrders(
  account: SandboxAccount,
  today: string,
): SandboxStandingOrder[] {
  if (account.life !== 'household') return []
  const language = languageOf(account)
  const firstOfMonth = `${today.slice(0, 8)}01`
  const monthly = household.flatMap(({ on, amount, name, iban, text, code }) =>
    code !== standingOrderCode || iban === null
      ? []
      : [
          {
            amount: amount.slice(1),
            name: name[language],
            iban,
            remittance: text[language],
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
      name: { en: 'City of Haifa', he: 'עיריית חיפה' }[language],
      iban: quarterly,
      remittance: { en: 'Municipal tax', he: 'ארנונה' }[language],
      startDay,
      endDay: addMonths(startDay, 21),
      frequency: 'Quarterly',
      executionRule: 'following',
      dayOfExecution: '15',
      bankCode: bankCodeOf(standingOrderCode, account, quarterly),
    },
  ]
}

/** The language of the texts on an account. */
function languageOf({ iban }: SandboxAccount): 'en' | 'he' {
  return iban.startsWith('IL') ? 'he' : 'en'
}

const standingOrderCode = 'PMNT-ICDT-STDO'

/** Standing orders to another country have their own code. */
function bankCodeOf(code: string, { iban: from }: SandboxAccount, to: string | null): string {
  const isAbroad = to !== null && to.slice(0, 2) !== from.slice(0, 2)
  return code === standingOrderCode && isAbroad ? 'PMNT-ICDT-XBST' : code
}

/**
 * Creates the entries of an account up to today, oldest first; the same day gives
 * the same entries. A household has 8 entries in each of the last 13 months and
 * two pending ones.
 */
export function sandboxEntries(account: SandboxAccount, today: string): SandboxEntry[] {
  const { rows, months } = lives[account.life]
  const firstOfMonth = `${today.slice(0, 8)}01`
  const language = languageOf(account)
  const entries: SandboxEntry[] = []
  for (let back = months; back >= 0; back--) {
    const month = addMonths(firstOfMonth, -back)
    for (const row of rows) {
      const day = addDays(month, row.on - 1)
      // The first month begins on today's day of the month; the last ends the day before.
      if (day >= today || day < addMonths(today, -months)) continue
      entries.push({
        day,
        amount: new Big(row.step)
          .times(back % 5)
          .plus(row.amount)
          .toFixed(2),
        name: row.name[language],
        iban: row.iban,
        remittance: `${row.text[language]} ${month.slice(5, 7)}/${month.slice(0, 4)}`,
        purposeCode: row.purpose,
        bankCode: bankCodeOf(row.code, account, row.iban),
        status: 'booked',
      })
    }
  }
  return account.life === 'household' ? [...entries, ...pendingEntries(language, today)] : entries
}

function pendingEntries(language: 'en' | 'he', today: string): SandboxEntry[] {
  const shared = { purposeCode: null, status: 'pending', day: today } as const
  return [
    {
      ...shared,
      amount: '-64.50',
      name: 'Pixel Store',
      iban: null,
      remittance: { en: 'Card payment', he: 'תשלום בכרטיס' }[language],
      bankCode: 'PMNT-CCRD-POSD',
    },
    {
      ...shared,
      amount: '230.00',
      name: { en: 'Dana Peretz', he: 'דנה פרץ' }[language],
      iban: 'IL090123450000000123456',
      remittance: { en: 'Tickets', he: 'כרטיסים להופעה' }[language],
      bankCode: 'PMNT-RCDT-DMCT',
    },
  ]
}

/** The cost of a purchase in another currency: `original × rate` plus the fee. */
export interface SandboxExchange {
  readonly amount: string
  readonly currency: string
  readonly rate: string
  readonly fee: string
  readonly feePercentage: string
}

/** A card purchase in the sandbox. */
export interface SandboxPurchase {
  readonly day: string
  readonly amount: string
  readonly original: SandboxExchange | null
  readonly acceptor: string
  /** Null if the card was not present. */
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
    acceptor: 'קפה כרמל',
    terminal: '04871123',
    town: 'חיפה',
    country: 'IL',
    category: '5812',
  },
  {
    amount: '-312.55',
    original: null,
    acceptor: 'נקודת דלק',
    terminal: '04871207',
    town: 'חדרה',
    country: 'IL',
    category: '5541',
  },
  {
    amount: '-58.20',
    original: null,
    acceptor: 'פינת ספרים Book Corner',
    terminal: '04872350',
    town: 'תל אביב',
    country: 'IL',
    category: '5942',
  },
]

/** Four purchases a month over the last 13 months, oldest first; the day determines whether they are billed. */
export function sandboxPurchases(today: string): SandboxPurchase[] {
  const all: SandboxPurchase[] = []
  for (let weeks = 56; weeks >= 0; weeks--) {
    const purchase = purchases[weeks % purchases.length]
    const day = addDays(today, -7 * weeks)
    if (purchase !== undefined && day >= addMonths(today, -13)) all.push({ ...purchase, day })
  }
  return all
}
