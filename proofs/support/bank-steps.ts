import fc from 'fast-check'
import {
  type Approach,
  dayMs,
  type Person,
  type Product,
  type Put,
  type ResourceModel,
} from './bank-model.ts'

export const noa = person('305567661')
export const avi = person('123456782', { approves: false })
const expiring = person('310000039', { consentBecomes: 'expired' })
const revoking = person('310000047', { consentBecomes: 'revokedByPsu' })
const people = [
  noa,
  noa,
  noa,
  avi,
  person('310000013', { isOverLimit: true }),
  person('310000021', { approvesCancellation: false }),
  expiring,
  revoking,
]
export const company = person('brueckner.bau')

function person(id: string, change: Partial<Person> = {}): Person {
  return {
    id,
    approves: true,
    approvesCancellation: true,
    consentBecomes: 'valid',
    isOverLimit: false,
    ...change,
  }
}
export interface Creation {
  readonly kind: 'create'
  readonly what: ResourceModel['kind']
  readonly person: Person
  readonly isNamed: boolean
  readonly approach: Approach
  /** Days from now, of a date the resource has. */
  readonly days: number
  readonly product: Product
  readonly isRare: boolean
}

/** What a sequence is made of; `at` counts what was made, round and round. */
export type Step =
  | { readonly kind: 'move'; readonly ms: number }
  | Creation
  | { readonly kind: 'put'; readonly at: number; readonly step: Put; readonly isStranger: boolean }
  | { readonly kind: 'remove' | 'read' | 'use' | 'continue'; readonly at: number }

const at = fc.nat({ max: 1000 })
/** Any step, more often than not one that leads further. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      what: fc.constantFrom<ResourceModel['kind']>('consent', 'payment', 'payment', 'mandate'),
      person: fc.constantFrom(...people),
      isNamed: fc.constantFrom(true, true, false),
      approach: fc.constantFrom<Approach>('EMBEDDED', 'EMBEDDED', 'DECOUPLED', 'REDIRECT'),
      days: fc.nat({ max: 3 }),
      product: fc.constantFrom<Product>('fp', 'masav', 'zahav'),
      isRare: fc.boolean(),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      at,
      step: fc.constantFrom<Put>(
        ...(['identify', 'password', 'wrongPassword', 'sms', 'app'] as const),
        ...(['noMethod', 'otp', 'wrongOtp', 'wrongOtp', 'confirm'] as const),
      ),
      isStranger: fc.constantFrom(...Array(15).fill(false), true),
    }),
  },
  {
    weight: 52,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...Array<'continue'>(5).fill('continue'),
        ...(['remove', 'read', 'use'] as const),
      ),
      at,
    }),
  },
  {
    weight: 13,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      ms: fc.constantFrom(
        1,
        990,
        1000,
        1000,
        2000,
        2000,
        2000,
        30_000,
        60_000,
        600_000,
        7_200_000,
        8 * 3_600_000,
        dayMs,
      ),
    }),
  },
)

const decoupled = { approach: 'DECOUPLED' } as const

/** What random steps need luck for. It is for a bank that begins on a Friday at 10:00. */
export const wayThroughEveryState: readonly Step[] = [
  create('payment', { product: 'masav', isRare: true, days: 3 }),
  ...approve(0),
  create('payment', { product: 'masav', isRare: true, days: 1 }),
  ...approve(1),
  create('payment'),
  ...approve(2),
  create('payment', { isNamed: false }),
  on(3, 'read'),
  on(3, 'remove'),
  create('payment', { person: avi }),
  on(4, 'read'),
  ...approve(4),
  create('consent'),
  ...approve(5),
  on(5, 'remove'),
  create('consent', { person: expiring, ...decoupled }),
  on(6, 'read'),
  create('consent', { person: revoking, ...decoupled }),
  create('consent', { person: avi, ...decoupled }),
  move(1000),
  on(2, 'read'),
  move(2000),
  on(2, 'read'),
  move(30_000),
  on(2, 'read'),
  // What one consent does to another, which is looked at first.
  create('consent', decoupled),
  move(2000),
  create('consent', decoupled),
  move(2000),
  // To Monday, 2:00: the day of the first one, before the bank executes anything.
  move(2 * dayMs),
  move(16 * 3_600_000),
  on(0, 'read'),
]

function create(what: Creation['what'], of: Partial<Creation> = {}): Creation {
  return {
    kind: 'create',
    what,
    person: noa,
    isNamed: true,
    approach: 'EMBEDDED',
    days: 0,
    product: 'fp',
    isRare: false,
    ...of,
  }
}

function approve(at: number): readonly Step[] {
  return Array<Step>(3).fill(on(at, 'continue'))
}

function on(at: number, kind: 'remove' | 'read' | 'continue'): Step {
  return { kind, at }
}

function move(ms: number): Step {
  return { kind: 'move', ms }
}
