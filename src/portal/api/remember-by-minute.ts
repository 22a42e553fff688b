import type { Catalogue } from '../../catalogue/catalogue.ts'

interface Moment {
  readonly catalogue: () => Catalogue
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Makes what is the same for everyone once a minute, name and catalogue: a
 * client can ask for it a thousand times a second. Names must be few.
 */
export function rememberByMinute<Made>({ catalogue, now }: Moment) {
  let known: { readonly catalogue: Catalogue; readonly minute: number } | undefined
  let made = new Map<string, Made>()
  return (name: string, make: () => Made): Made => {
    const current = catalogue()
    const minute = Math.floor(now() / 60_000)
    if (known?.catalogue !== current || known.minute !== minute) {
      known = { catalogue: current, minute }
      made = new Map()
    }
    const last = made.get(name)
    if (last !== undefined) return last
    const one = make()
    made.set(name, one)
    return one
  }
}
