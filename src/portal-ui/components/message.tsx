import { Fragment, type ReactNode } from 'react'
import type { MessageId, PartValues } from '../../messages/format.ts'
import { words } from '../words.ts'

export interface MessageProps {
  readonly id: MessageId
  /** Texts, numbers and elements for the arguments of the message. */
  readonly values?: Readonly<Record<string, ReactNode>>
  /** What surrounds the content of each tag of the message; `b` is bold by itself. */
  readonly tags?: Readonly<Record<string, (content: ReactNode) => ReactNode>>
}

/** A message with elements in it: one sentence for the translator, links and names in their places. */
export function Message({ id, values = {}, tags = {} }: MessageProps) {
  const given: Record<string, unknown> = { ...values }
  for (const [name, surround] of Object.entries({ ...plainTags, ...tags })) {
    given[name] = (content: ReactNode[]) => surround(keyed(content))
  }
  return keyed(words().parts<ReactNode>(id, given as PartValues<ReactNode>))
}

const plainTags = {
  b: (content: ReactNode) => <strong>{content}</strong>,
  code: (content: ReactNode) => <code dir="ltr">{content}</code>,
}

function keyed(parts: readonly ReactNode[]): ReactNode {
  // The order of the parts of a message never changes.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return parts.map((part, index) => <Fragment key={index}>{part}</Fragment>)
}
