import { CloseButton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useOperatedApplications, useOperatedDevelopers } from '../../api/operator.ts'
import { Combobox } from '../../components/combobox.tsx'
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

/** A developer, or an application with the address of its developer. */
interface Named {
  readonly name: string
  readonly email: string
}

/** Chooses a person or an application by part of its name; also takes a whole party as the log writes it. */
export function PartyPicker({ label, member, kinds }: PartyPickerProps) {
  const [party, change] = useSearchMember(member)
  const [text, setText] = useState<string>()
  const [search] = useDebouncedValue(text ?? '', 250)
  const people = useOperatedDevelopers(search)
  const applications = useOperatedApplications(search)
  const found = new Map<string, Named>()
  if (kinds.includes('developer')) {
    for (const { id, name, email } of people.data?.pages[0]?.items ?? []) {
      found.set(`developer:${id}`, { name, email })
    }
  }
  if (kinds.includes('application')) {
    for (const { id, name, developerEmail } of applications.data?.pages[0]?.items ?? []) {
      found.set(`application:${id}`, { name, email: developerEmail })
    }
  }
  const queries = { developer: people, application: applications }
  const isAnswered =
    text === search &&
    kinds.every((kind) => queries[kind].isSuccess && !queries[kind].isPlaceholderData)
  const named = found.get(party)
  const shown = party === '' ? '' : named ? `${named.name} (${named.email})` : partyInWords(party)
  const choose = (chosen: string) => {
    change(chosen)
    setText(undefined)
  }
  return (
    <Combobox
      label={label}
      placeholder={t('auditLog.search')}
      text={text ?? shown}
      options={[...found].slice(0, 20).map(([value, { name, email }]) => ({
        value,
        content: (
          <>
            <bdi>{name}</bdi>
            <Text size="xs" c="dimmed">
              <bdi>{email}</bdi>
            </Text>
          </>
        ),
      }))}
      {...(isAnswered && !isParty(text) ? { nothingFound: t('auditLog.noneFound') } : {})}
      onType={setText}
      onChoose={choose}
      onBlur={() => {
        if (text === undefined) return
        if (text === '' || isParty(text)) choose(text)
        else setText(undefined)
      }}
      rightSection={
        (text ?? shown) === '' ? null : (
          <CloseButton size="sm" aria-label={t('common.clear')} onClick={() => choose('')} />
        )
      }
      maxLength={300}
    />
  )
}

function isParty(text: string): boolean {
  return /^\w+:\S+$/.test(text)
}
