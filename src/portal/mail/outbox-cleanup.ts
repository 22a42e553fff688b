import { readdir, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { domainToUnicode } from 'node:url'
import type { Kysely } from 'kysely'
import { ignoreMissing } from '../../platform/log/error-code.ts'
import { findKnownAddresses } from '../stores/accounts/known-addresses.ts'
import type { PortalSchema } from '../stores/schema.ts'
import { recipientIn } from './read-mail-files.ts'

export interface OutboxCleanupOptions {
  readonly db: Kysely<PortalSchema>
  /** Where mails become files; it need not exist. */
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Finished files, and those that a crash left unfinished. */
const fileName = /\.eml(?:\.[0-9a-f]+)?$/
const oldAddressMs = 86_400_000

/**
 * Deletes the mails in the folder whose recipient no longer has an account, and
 * no link that works. Needs no memory of deletions, so it also clears the folder
 * of a process that was down when an account was deleted, and mails to an
 * earlier address. A mail to that address stays a day, so that its owner can read it.
 */
export function createOutboxCleanup({ db, folder, now }: OutboxCleanupOptions): {
  run(): Promise<void>
} {
  /** Another process may share the folder and delete a file first. */
  async function readMails(): Promise<{ path: string; addresses: string[] }[]> {
    const names = await readdir(folder).catch(ignoreMissing)
    const mails = []
    for (const name of names ?? []) {
      if (!fileName.test(name)) continue
      const path = join(folder, name)
      if (name.includes('-address-changed-') && (await isYoung(path))) continue
      const source = await readFile(path, 'utf8').catch(ignoreMissing)
      const recipient = source === undefined ? '' : recipientIn(source)
      if (recipient !== '') mails.push({ path, addresses: spellingsOf(recipient) })
    }
    return mails
  }

  async function isYoung(path: string): Promise<boolean> {
    const found = await stat(path).catch(ignoreMissing)
    return found !== undefined && now() - found.mtimeMs < oldAddressMs
  }

  return {
    async run() {
      const mails = await readMails()
      const known = await findKnownAddresses(
        db,
        mails.flatMap(({ addresses }) => addresses),
      )
      for (const { path, addresses } of mails) {
        if (addresses.some((address) => known.has(address))) continue
        await unlink(path).catch(ignoreMissing)
      }
    },
  }
}

/** A header has the domain in ASCII; a command may have registered it in another script. */
function spellingsOf(address: string): string[] {
  const at = address.lastIndexOf('@')
  return [address, `${address.slice(0, at + 1)}${domainToUnicode(address.slice(at + 1))}`]
}
