import type { RedisHost } from '../../../../platform/redis/redis-address.ts'

/** Why a cluster node ran nothing: the whole batch must go to another node, or be sent again. */
export type Redirection =
  /** Another node has the slot. */
  | { readonly kind: 'moved'; readonly slot: number; readonly to: RedisHost }
  /** The slot is moving to another node, and its keys are already there or do not exist yet. */
  | { readonly kind: 'ask'; readonly slot: number; readonly to: RedisHost }
  /** The slot is moving, and some of its keys have arrived. */
  | { readonly kind: 'apart' }

/** Reads a node's error; undefined when it is not a redirection. An empty host means the node that replied. */
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
