import { Counter, type Registry } from 'prom-client'

/**
 * `delivered`: the mail server or the folder has it. `retried`: an attempt
 * failed, there will be another. `refused`: never will be taken. `given-up`:
 * tried for a day. `reserved`: to a domain that has no mail servers.
 */
export const mailResults = ['delivered', 'retried', 'refused', 'given-up', 'reserved'] as const
export type MailResult = (typeof mailResults)[number]

export interface MailMetrics {
  count(result: MailResult): void
}

export function createMailMetrics(registry: Registry): MailMetrics {
  const mails = new Counter({
    name: 'portal_mails_total',
    help: 'Attempts to send a mail of the portal, by result',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of mailResults) mails.inc({ result }, 0)
  return { count: (result) => mails.inc({ result }) }
}
