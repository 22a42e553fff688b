import { type Kysely, type Selectable, sql } from 'kysely'
import { aggregateCurrency, isAggregate } from '../domain/multicurrency.ts'
import type { AccountTable, BankSchema, StandingOrderTable } from './schema.ts'

export type Account = Selectable<AccountTable>
export type StandingOrder = Selectable<StandingOrderTable>

/** The figures behind an account's balances, except its booked total. */
export interface AccountFigures {
  /** The booked total at the end of the previous day. */
  readonly closing: string
  /** Sums of pending credits and debits (the latter negative). */
  readonly pendingIn: string
  readonly pendingOut: string
}

/** One entry to book; a negative amount is a debit. */
export interface Booking {
  readonly id: string
  readonly accountId: string
  /** The value day; also the booking day, unless the account has a later entry. */
  readonly day: string
  readonly amount: string
  readonly currency: string
  readonly counterpartyName: string | null
  readonly counterpartyIban: string | null
  readonly remittance: string | null
  readonly endToEndId: string | null
  readonly purposeCode: string | null
  readonly bankCode: string
  readonly proprietaryCode: string | null
  /** The payment, or the creditor's mandate reference, behind the entry. */
  readonly paymentId?: string
  readonly mandateId?: string
  readonly at: Date
}

/** Payment accounts, their bookings and their standing orders. */
export function createAccountStore(db: Kysely<BankSchema>) {
  const byPosition = () => db.selectFrom('accounts').selectAll().orderBy('position')
  /** Accounts that hold money. */
  const holding = () => byPosition().where('currency', '<>', aggregateCurrency)

  /** The accounts of an IBAN that hold money, one per currency. */
  function byIban(iban: string): Promise<Account[]> {
    return holding().where('iban', '=', iban).execute()
  }

  return {
    byIban,

    /** The accounts of a person that hold money, by position. */
    ofPsu(psuId: string): Promise<Account[]> {
      return holding().where('psuId', '=', psuId).execute()
    },

    /** All accounts of a person, including those that only combine others, by position. */
    shownOf(psuId: string): Promise<Account[]> {
      return byPosition().where('psuId', '=', psuId).execute()
    },

    /** The accounts whose balances and entries an account shows: itself, or the sub-accounts that it combines. */
    async partsOf(account: Account): Promise<readonly Account[]> {
      return isAggregate(account) ? byIban(account.iban) : [account]
    },

    /** The accounts with these ids that exist, by position. */
    byIds(ids: readonly string[]): Promise<Account[]> {
      if (ids.length === 0) return Promise.resolve([])
      return byPosition().where('id', 'in', ids).execute()
    },

    /** Locks the accounts until the transaction ends, always in the same order, so that two bookings cannot deadlock. */
    lock(ids: readonly string[]): Promise<Account[]> {
      return db
        .selectFrom('accounts')
        .selectAll()
        .where('id', 'in', ids)
        .orderBy('id')
        .forNoKeyUpdate()
        .execute()
    },

    /** The figures of each account on a day. Reads only the pending entries and one booked entry. */
    async figures(ids: readonly string[], day: string): Promise<Map<string, AccountFigures>> {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('accounts')
        .leftJoinLateral(
          (any) =>
            any
              .selectFrom('transactions')
              .select('transactions.balanceAfter')
              .whereRef('transactions.accountId', '=', 'accounts.id')
              .where('transactions.status', '=', 'booked')
              .where('transactions.day', '<', day)
              .orderBy('transactions.day', 'desc')
              .orderBy('transactions.sequence', 'desc')
              .limit(1)
              .as('before'),
          (join) => join.onTrue(),
        )
        .leftJoinLateral(
          (any) =>
            any
              .selectFrom('transactions')
              .select([
                sql<string>`coalesce(sum(amount) filter (where amount > 0), 0)`.as('pendingIn'),
                sql<string>`coalesce(sum(amount) filter (where amount < 0), 0)`.as('pendingOut'),
              ])
              .whereRef('transactions.accountId', '=', 'accounts.id')
              .where('transactions.status', '=', 'pending')
              .as('pending'),
          (join) => join.onTrue(),
        )
        .select([
          'accounts.id',
          sql<string>`coalesce(${sql.ref('before.balanceAfter')}, 0)`.as('closing'),
          sql<string>`${sql.ref('pending.pendingIn')}`.as('pendingIn'),
          sql<string>`${sql.ref('pending.pendingOut')}`.as('pendingOut'),
        ])
        .where('accounts.id', 'in', ids)
        .execute()
      return new Map(rows.map(({ id, ...figures }) => [id, figures]))
    },

    standingOrders(accountIds: readonly string[]): Promise<StandingOrder[]> {
      return db
        .selectFrom('standingOrders')
        .selectAll()
        .where('accountId', 'in', accountIds)
        .orderBy('startDay')
        .orderBy('id')
        .execute()
    },

    /**
     * Books one entry: changes the booked total and writes the entry with the
     * balance after it. Entries are in day order; a late one takes the day of
     * the entry before it. The account must be locked.
     */
    async book({ at, ...booking }: Booking): Promise<void> {
      const { booked, lastSequence, lastDay } = await db
        .updateTable('accounts')
        .set({
          booked: sql<string>`booked + ${booking.amount}::numeric`,
          lastSequence: sql<number>`last_sequence + 1`,
          lastDay: sql<string>`greatest(last_day, ${booking.day}::date)`,
          changedAt: sql<Date>`greatest(changed_at, ${at}::timestamptz)`,
        })
        .where('id', '=', booking.accountId)
        .returning(['booked', 'lastSequence', 'lastDay'])
        .executeTakeFirstOrThrow()
      await db
        .insertInto('transactions')
        .values({
          ...booking,
          sequence: lastSequence,
          status: 'booked',
          day: lastDay ?? booking.day,
          valueDay: booking.day,
          balanceAfter: booked,
        })
        .execute()
    },
  }
}
