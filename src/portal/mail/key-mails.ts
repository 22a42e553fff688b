import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log/log.ts'
import { presentHorizon } from '../../registry/feed/read-changes.ts'
import { beginCursor, lockCursor, moveCursor, readCursor } from '../../registry/job-cursor.ts'
import type { Events } from '../alerts/events.ts'
import { endHours, hasEndedHours, takeMail } from '../stores/mail/key-digests.ts'
import { hasMailedChanges, type KeyNotice, readNoticeable } from '../stores/mail/key-notices.ts'
import type { PortalSchema, PortalTransaction } from '../stores/schema.ts'
import type { Letter } from './letters.ts'
import type { Outbox } from './outbox.ts'

/** Writes mails to developers about changes of their keys, and about second factors that a command reset. */
export interface KeyMails {
  /** Reports changes from now on, not earlier ones. Does nothing if another process or an earlier start already does. */
  begin(): Promise<void>
  /** Writes the mails about all changes since the last run of any process. */
  run(): Promise<void>
}

export interface KeyMailsOptions {
  readonly db: Kysely<PortalSchema>
  readonly outbox: Outbox
  readonly events: Events
  readonly log: Pick<Logger, 'warn'>
}

/** The name of the cursor in the database. */
const cursorName = 'key-notices'
const changesMax = 100
/** Without changes the cursor moves this often, so that its age shows how long no portal ran. */
const idleSeconds = 300
/** Changes are deleted after an hour; a portal that starts later than this may have missed some. */
const bridgedSeconds = 3_300

/**
 * Reports every change of a key, and every reset of second factors, exactly once, made on the portal or the command
 * line, across all processes: the cursor of the change table moves in the
 * transaction that writes the mails. The first changes of an hour get a mail
 * each, the others one digest at its end, so that changes cannot flood a mailbox.
 * A key that may replace itself always gets a mail: there are 20 an hour at most.
 */
export function createKeyMails({ db, outbox, events, log }: KeyMailsOptions): KeyMails {
  /** @returns whether there may be more at once */
  function runPiece(): Promise<boolean> {
    return db.transaction().execute(async (trx) => {
      const cursor = await lockCursor(trx, cursorName)
      if (cursor === undefined) return false
      const present = await presentHorizon(trx)
      if (BigInt(cursor.value) > BigInt(present)) {
        // Transaction ids went back: this is a restored backup, and its changes are old.
        log.warn({}, 'the registry was restored: emails about keys start from its present state')
        await moveCursor(trx, cursorName, present)
        return false
      }
      if (cursor.ageSeconds > bridgedSeconds) {
        const minutes = Math.round(cursor.ageSeconds / 60)
        log.warn({ minutes }, 'no portal ran for a while: emails about keys may be missing')
      }
      for (const { email, ...digest } of await endHours(trx)) {
        await outbox.post(trx, { kind: 'keys-changed', ...digest }, email)
      }
      const page = await readNoticeable(trx, { horizon: cursor.value, max: changesMax })
      for (const notice of page.keys) {
        const { action, applicationName, keyName, hint, at } = notice
        await postEvent(trx, notice)
        const noted = { action, applicationName, keyName, hint, at: at.toISOString() }
        // A thief would make five harmless changes before this one.
        const isOwn = notice.mayReplaceItself === true
        if (isOwn || (await takeMail(trx, notice.developerId, noted))) {
          await outbox.post(trx, letterOf(notice), notice.email)
        }
      }
      for (const { email, at } of page.factorResets) {
        await outbox.post(trx, { kind: 'factors-reset', at }, email)
      }
      await moveCursor(trx, cursorName, page.next)
      return page.isFull
    })
  }

  /** The webhook gets every rotation, whether a mail reports it or the digest. */
  async function postEvent(trx: PortalTransaction, notice: KeyNotice): Promise<void> {
    const { keyId, keyName: name, hint, newKeyId, newHint, applicationId, at } = notice
    if (newKeyId === undefined || newHint === undefined) return
    const event = {
      type: 'key.rotated',
      key: { id: keyId, name, hint },
      newKey: { id: newKeyId, name, hint: newHint },
      oldKeyWorksUntil: notice.worksUntil?.toISOString() ?? null,
      byItself: notice.isByItself,
    } as const
    await events.post(trx, event, { applicationId, at })
  }

  return {
    begin: async () => beginCursor(db, cursorName, await presentHorizon(db)),

    async run() {
      const cursor = await readCursor(db, cursorName)
      if (cursor === undefined) return
      const isDue =
        cursor.ageSeconds >= idleSeconds ||
        (await hasMailedChanges(db, cursor.value)) ||
        (await hasEndedHours(db))
      if (!isDue) return
      while (await runPiece());
    },
  }
}

function letterOf(notice: KeyNotice): Letter {
  const { action, newHint, worksUntil, developerId, applicationId, applicationName } = notice
  const { keyName, hint, at, isByItself, mayReplaceItself, allowedAddresses } = notice
  const facts = { developerId, applicationId, applicationName, keyName, hint, at }
  if (action === 'replace' && newHint !== undefined) {
    return { kind: 'key-replaced', ...facts, newHint, worksUntil, isByItself }
  }
  if (action === 'update' && mayReplaceItself !== undefined) {
    return { kind: 'key-self-replacement', ...facts, mayReplaceItself, allowedAddresses }
  }
  const kind = letterKinds[action]
  return kind === 'key-revoked'
    ? { kind, ...facts }
    : { kind, ...facts, mayReplaceItself, allowedAddresses }
}

/** A replaced key whose successor is unknown was revoked. */
const letterKinds = {
  issue: 'key-issued',
  update: 'key-addresses-changed',
  replace: 'key-revoked',
  revoke: 'key-revoked',
} as const
