import { Checkbox } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BrandFacts } from '../../../portal/api/schemas/brand.ts'
import { TermsSentence } from '../../components/terms-sentence.tsx'

interface TermsCheckboxProps {
  readonly terms: NonNullable<BrandFacts['terms']>
  /** The accepted version; empty: none. */
  readonly accepted: string
  readonly onChange: (version: string) => void
  readonly error: ReactNode
}

/** Accepts the bank's terms. */
export function TermsCheckbox({ terms, accepted, onChange, error }: TermsCheckboxProps) {
  return (
    <Checkbox
      label={<TermsSentence id="terms.accept" terms={terms} />}
      checked={accepted !== ''}
      onChange={({ currentTarget: { checked } }) => onChange(checked ? terms.version : '')}
      error={error}
      required
    />
  )
}
