import { Anchor } from '@mantine/core'
import type { BrandFacts } from '../../portal/api/schemas/brand.ts'
import { useBrandName } from '../facts.tsx'
import { Message } from './message.tsx'

export interface TermsSentenceProps {
  readonly id: 'terms.accept' | 'terms.ask'
  readonly terms: NonNullable<BrandFacts['terms']>
}

/** A sentence that asks for the bank's terms. The terms open beside the form, which keeps what was entered. */
export function TermsSentence({ id, terms }: TermsSentenceProps) {
  const name = useBrandName()
  return (
    <Message
      id={id}
      values={{ name: <bdi>{name}</bdi> }}
      tags={{
        link: (text) => (
          <Anchor href={terms.url} target="_blank" rel="noreferrer" inherit underline="always">
            {text}
          </Anchor>
        ),
      }}
    />
  )
}
