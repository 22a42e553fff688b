/** What `npm run prove` was asked for. */
export interface Request {
  /** Proofs, in this order; none: list them. */
  readonly names: readonly string[]
  /** A revision of git: run what guards the changes since then. */
  readonly changedSince: string | undefined
  readonly isWhole: boolean
  readonly seed: string
  /** Arguments for the program of the only proof. */
  readonly args: readonly string[]
}

/** A request that cannot be fulfilled; its message says why, and what is possible. */
export class ProveError extends Error {}

/**
 * Reads `arrives-once stop --whole --seed 7`, `bench --section tls`, `--changed main~3`, `all`. What follows a name and is
 * no option of ours goes to the program of that proof.
 *
 * @throws {ProveError}
 */
export function readRequest(argv: readonly string[], known: readonly string[]): Request {
  const left = [...argv]
  const isWhole = takeFlag(left, '--whole')
  const seed = takeValue(left, '--seed') ?? String(Date.now() % 2 ** 31)
  const changedSince = takeValue(left, '--changed')
  if (!/^\d{1,15}$/.test(seed)) throw new ProveError(`--seed takes a whole number, not "${seed}".`)
  const first = left.findIndex((word) => word.startsWith('-'))
  const words = first < 0 ? left : left.slice(0, first)
  const args = first < 0 ? [] : left.slice(first)
  const unknown = words.filter((name) => name !== 'all' && !known.includes(name))
  if (unknown.length > 0)
    throw new ProveError(
      `There is no proof "${unknown.join('", "')}". There are: all, ${known.join(', ')}.`,
    )
  const names = words.includes('all') ? known : [...new Set(words)]
  if (changedSince !== undefined && names.length > 0)
    throw new ProveError('--changed chooses the proofs itself: name none beside it.')
  if (args.length > 0 && names.length !== 1)
    throw new ProveError(`${args.join(' ')} is for a single proof: name one before it.`)
  return { names, changedSince, isWhole, seed, args }
}

function takeFlag(words: string[], flag: string): boolean {
  const at = words.indexOf(flag)
  if (at < 0) return false
  words.splice(at, 1)
  return true
}

function takeValue(words: string[], option: string): string | undefined {
  const at = words.indexOf(option)
  if (at < 0) return undefined
  const [, value] = words.splice(at, 2)
  if (value === undefined || value.startsWith('-'))
    throw new ProveError(
      `${option} takes a value (e.g. ${option} ${option === '--seed' ? '7' : 'main'}).`,
    )
  return value
}
