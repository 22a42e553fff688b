import { isIP } from 'node:net'

/** Whether a host is always this machine: `localhost`, an address of 127.0.0.0/8 or `::1`, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
