import { Big } from 'big.js'

/** An amount as the interfaces write it: a decimal text and an ISO 4217 code. */
export interface Amount {
  readonly currency: string
  readonly amount: string
}

/** Currencies whose number of decimals is not two (ISO 4217). */
const decimalsOf: Readonly<Record<string, number>> = {
  JPY: 0,
  KRW: 0,
  CLP: 0,
  ISK: 0,
  VND: 0,
  KWD: 3,
  BHD: 3,
  JOD: 3,
  OMR: 3,
  TND: 3,
}

/** The number of decimals of a currency. */
export function decimals(currency: string): number {
  return decimalsOf[currency] ?? 2
}

/** Whether the text is an amount, of either sign, with at most the decimals of its currency. */
export function isAmount({ currency, amount }: Amount): boolean {
  const match = /^-?\d{1,14}(?:\.(\d{1,3}))?$/.exec(amount)
  return match !== null && (match[1] ?? '').length <= decimals(currency)
}

/** Writes a number (SQL returns numeric as text) with the decimals of its currency: `'1280.500'` ILS is `1280.50`. */
export function amountOf(value: string | Big, currency: string): Amount {
  return { currency, amount: new Big(value).toFixed(decimals(currency)) }
}

/** Adds decimal texts exactly; `'0'` for an empty list. */
export function sum(values: readonly string[]): string {
  return values.reduce((total, value) => total.plus(value), new Big(0)).toFixed()
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compare(a: string, b: string): number {
  return new Big(a).cmp(b)
}

/** The same number with the other sign. */
export function negate(value: string): string {
  return new Big(value).times(-1).toFixed()
}
