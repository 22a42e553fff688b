/** One GET of the benchmark's API: a list, or one thing of it. */
export interface BenchOperation {
  readonly id: string
  /** As OpenAPI writes it, below the prefix: `/accounts/{id}`. */
  readonly template: string
  /** The beginning of its targets, prefix included; an id follows where the template has a parameter. */
  readonly start: string
  readonly hasParameter: boolean
}

/** What the paths of the version begin with. */
export const prefix = '/v1.0.0'

/** Takes a body of 100 KB. */
export const uploadTemplate = '/uploads'
/** Answers 10 MB. */
export const downloadTemplate = '/downloads/{id}'

const things = [
  'accounts',
  'balances',
  'beneficiaries',
  'branches',
  'card-accounts',
  'cards',
  'charges',
  'consents',
  'currencies',
  'customers',
  'deposits',
  'documents',
  'exchange-rates',
  'funds',
  'instruments',
  'invoices',
  'loans',
  'mandates',
  'notices',
  'payments',
  'portfolios',
  'products',
  'standing-orders',
  'statements',
  'transactions',
]

/** The 50 operations the workload is made of. */
export const operations: readonly BenchOperation[] = things.flatMap((thing) => {
  const name = thing.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const start = `${prefix}/${thing}`
  return [
    { id: `list${name}`, template: `/${thing}`, start, hasParameter: false },
    { id: `read${name}`, template: `/${thing}/{id}`, start: `${start}/`, hasParameter: true },
  ]
})
