import type { RedisHost } from '../../platform/redis-address.ts'

/** Why a node of a cluster did not do what it was asked: all of it has to be asked elsewhere, or again. */
export type Redirection =
  /** The slot is another node's. */
  | { readonly kind: 'moved'; readonly slot: number; readonly to: RedisHost }
  /** The slot is on its way to another node, and these keys are there already or not yet anywhere. */
  | { readonly kind: 'ask'; readonly slot: number; readonly to: RedisHost }
  /** The slot is on its way, and some of the keys have arrived. */
  | { readonly kind: 'apart' }

/** Reads an error of a node; undefined when it is about something else. An empty host is the node that answered. */
export function redirectionOf({ message }: Error): Redirection | undefined {
  if (message.startsWith('TRYAGAIN')) return { kind: 'apart' }
  const [, word, slot, host, port] = /^(MOVED|ASK) (\d+) (\S*):(\d+)/.exec(message) ?? []
  if (word === undefined || host === undefined) return undefined
  return {
    kind: word === 'MOVED' ? 'moved' : 'ask',
    slot: Number(slot),
    to: { host, port: Number(port) },
  }
}
