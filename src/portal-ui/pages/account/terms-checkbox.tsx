import { Checkbox } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BrandFacts } from '../../../gateway/portal/schemas/brand.ts'
import { Message } from '../../components/message.tsx'
import { useBrandName } from '../../facts.tsx'

interface TermsCheckboxProps {
  readonly terms: NonNullable<BrandFacts['terms']>
  /** The accepted version; empty: none. */
  readonly accepted: string
  readonly onChange: (version: string) => void
  readonly error: ReactNode
}

/** Accepts the bank's terms. */
export function TermsCheckbox({ terms, accepted, onChange, error }: TermsCheckboxProps) {
  const name = useBrandName()
  return (
    <Checkbox
      label={
        <Message
          id="terms.accept"
          values={{ name: <bdi>{name}</bdi> }}
          tags={{
            link: (text) => (
              <a href={terms.url} target="_blank" rel="noreferrer">
                {text}
              </a>
            ),
          }}
        />
      }
      checked={accepted !== ''}
      onChange={({ currentTarget: { checked } }) => onChange(checked ? terms.version : '')}
      error={error}
      required
    />
  )
}
