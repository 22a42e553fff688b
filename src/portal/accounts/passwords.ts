import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { PortalError } from '../api/portal-error.ts'
import { hashPassword, verifyPassword } from './argon2.ts'
import { createFairQueue, QueueFull, type Turn } from './fair-queue.ts'

/** Passwords as they are kept: argon2id, in PHC notation. */
export interface Passwords {
  /**
   * @param owner email address of the account; one link or session may bring many new passwords at once
   * @throws {PortalError} OVERLOADED
   */
  hash(password: string, owner: string): Promise<string>
  /**
   * Compares a password with the hash that `find` returns; calls `find` when
   * the comparison's turn has come. Without a hash the comparison takes as long
   * and fails, so that response times do not reveal whether an account exists.
   *
   * @throws {PortalError} OVERLOADED; then `find` was not asked
   */
  compare<Found extends { readonly passwordHash: string }>(
    password: string,
    find: () => Promise<Found | undefined>,
    turn: Turn,
  ): Promise<{ readonly found: Found | undefined; readonly isRight: boolean }>
}

export interface PasswordsOptions {
  /**
   * How many are worked on at once; each keeps a core busy for tens of
   * milliseconds and takes 19 MiB. (Default: all cores but one, 3 at most)
   */
  readonly workers?: number
  /** How many may wait for that. (Default: 64) */
  readonly waitingMax?: number
  /** (Default: {@link hashPassword}) */
  readonly hash?: typeof hashPassword
}

/**
 * Creates the bounded, fair queue for all passwords of the process. Threads do the
 * work: a gateway in the same process keeps responding and keeps its own cores.
 */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  const { hash = hashPassword } = options
  const queue = createFairQueue({
    workers: options.workers ?? Math.max(1, Math.min(3, availableParallelism() - 1)),
    waitingMax: options.waitingMax ?? 64,
  })
  let dummy: string | undefined

  async function queued<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    try {
      return await queue.run(turn, work)
    } catch (error) {
      throw error instanceof QueueFull ? overloaded(error) : error
    }
  }

  return {
    // Preferred: a new password comes with a link that was mailed or after a sign-in, and both are limited.
    hash: (password, owner) =>
      queued({ lanes: [`new ${owner}`], isPreferred: true }, () => hash(normal(password))),
    compare: (password, find, turn) =>
      queued(turn, async () => {
        // Assigned only once the hash exists: a stored failure would break every later sign-in.
        dummy ??= await hash(randomBytes(32))
        const stranger = dummy
        const found = await find()
        const isRight = await verifyPassword(found?.passwordHash ?? stranger, normal(password))
        return { found, isRight: isRight && found !== undefined }
      }),
  }
}

/** Keyboards write the same characters in different ways (NIST SP 800-63B, 5.1.1.2). */
function normal(password: string): string {
  return password.normalize('NFKC')
}

/** Too many passwords wait already. */
export function overloaded(cause: QueueFull): PortalError {
  return new PortalError(
    {
      code: 'OVERLOADED',
      detail: 'The portal is checking too many passwords at the moment.',
      headers: { 'retry-after': '2' },
    },
    { cause },
  )
}
