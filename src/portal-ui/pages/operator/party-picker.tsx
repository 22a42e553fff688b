import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useOperatedApplications, useOperatedDevelopers } from '../../api/operator.ts'
import { t } from '../../words.ts'
import { partyInWords } from './audit-words.tsx'
import { useSearchMember } from './search-field.tsx'

export interface PartyPickerProps {
  readonly label: string
  /** Name of the parameter in the page's address; it holds `developer:<id>`. */
  readonly member: string
  /** What can be chosen. */
  readonly kinds: readonly ('developer' | 'application')[]
}

/** Chooses a person or an application by part of its name; also takes a whole party as the log writes it. */
export function PartyPicker({ label, member, kinds }: PartyPickerProps) {
  const [party, change] = useSearchMember(member)
  const [text, setText] = useState<string>()
  const [search] = useDebouncedValue(text ?? '', 250)
  const people = useOperatedDevelopers(search)
  const applications = useOperatedApplications(search)
  const found = new Map<string, string>()
  if (kinds.includes('developer')) {
    for (const { id, name, email } of people.data?.pages[0]?.items ?? []) {
      found.set(`developer:${id}`, `${name} (${email})`)
    }
  }
  if (kinds.includes('application')) {
    for (const { id, name, developerEmail } of applications.data?.pages[0]?.items ?? []) {
      found.set(`application:${id}`, `${name} (${developerEmail})`)
    }
  }
  const shown = party === '' ? '' : (found.get(party) ?? partyInWords(party))
  const choose = (chosen: string) => {
    change(chosen)
    setText(undefined)
  }
  return (
    <Autocomplete
      label={label}
      placeholder={t('auditLog.search')}
      value={text ?? shown}
      data={[...found].map(([value, label]) => ({ value, label }))}
      renderOption={({ option }) => <bdi>{found.get(option.value)}</bdi>}
      limit={20}
      filter={({ options }) => options}
      onChange={setText}
      onOptionSubmit={choose}
      onBlur={() => {
        if (text === undefined) return
        if (text === '' || /^\w+:\S+$/.test(text)) choose(text)
        else setText(undefined)
      }}
      clearable
      maxLength={300}
    />
  )
}
