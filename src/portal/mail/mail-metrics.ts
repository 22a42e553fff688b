import { Counter, type Registry } from 'prom-client'

/**
 * `delivered`: the mail server or the folder has it. `retried`: an attempt
 * failed and will be repeated. `refused`: the mail server rejected it
 * permanently. `given-up`: failed for a day. `reserved`: to a domain without
 * mail servers.
 */
export const mailResults = ['delivered', 'retried', 'refused', 'given-up', 'reserved'] as const
export type MailResult = (typeof mailResults)[number]

export interface MailMetrics {
  count(result: MailResult): void
}

export function createMailMetrics(registry: Registry): MailMetrics {
  const mails = new Counter({
    name: 'portal_mails_total',
    help: 'Attempts to send an email, by result',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of mailResults) mails.inc({ result }, 0)
  return { count: (result) => mails.inc({ result }) }
}
