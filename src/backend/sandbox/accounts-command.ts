import { randomUUID } from 'node:crypto'

export interface AccountsCommandOptions {
  /** Origin of the gateway. */
  readonly gateway: string
  /** With the prefix of the version. (Default: `/v1.7.0/accounts`) */
  readonly path?: string
  readonly key: string
  readonly consentId: string
}

/** The curl command that reads the accounts of a consent, ready to paste into a shell. */
export function accountsCommand({
  gateway,
  path = '/v1.7.0/accounts',
  key,
  consentId,
}: AccountsCommandOptions): string {
  return `curl ${gateway}${path} -H "X-API-Key: ${key}" -H 'X-Request-ID: ${randomUUID()}' -H 'Consent-ID: ${consentId}' -H 'PSU-IP-Address: 127.0.0.1' -w '\\n'`
}
