import { Button, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { instantOf, localOf } from '../../local-moment.ts'
import { withoutSecret } from '../../without-secret.ts'

/** The search text in the page's address: `?search=ada`. */
export function useSearchText(): string {
  return useSearchMember('search')[0]
}

/** A parameter of the page's address, empty if it is missing, and how to change it. */
export function useSearchMember(member: string): readonly [string, (value: string) => void] {
  const [params, setParams] = useSearchParams()
  const change = (value: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(member)
        else after.set(member, value)
        return after
      },
      { replace: true },
    )
  return [params.get(member) ?? '', change]
}

/** Clears every search field of the page. */
export function ClearSearch({ children }: { readonly children: string }) {
  const [, setParams] = useSearchParams()
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => setParams({})}
      style={{ alignSelf: 'flex-start' }}
    >
      {children}
    </Button>
  )
}

/** A moment is in UTC in the address, and local in the field. */
const kinds = {
  text: { type: 'search', shown: (value: string) => value, kept: withoutSecret },
  moment: { type: 'datetime-local', shown: localOf, kept: instantOf },
} as const

export interface SearchFieldProps {
  readonly label: string
  readonly description?: string
  readonly placeholder?: string
  /** Name of the parameter in the page's address (default: search). */
  readonly member?: string
  /** (Default: text) */
  readonly kind?: keyof typeof kinds
}

/**
 * A search field that writes its text into the page's address shortly after the
 * last key press, so that a search can be bookmarked and shared.
 */
export function SearchField(props: SearchFieldProps) {
  const { label, description, placeholder, member = 'search', kind = 'text' } = props
  const { type, shown, kept } = kinds[kind]
  const [value, change] = useSearchMember(member)
  const settled = shown(value)
  const [text, setText] = useState(settled)
  // The operator went back, or followed a link to another search.
  useEffect(() => setText(settled), [settled])
  const settle = useDebouncedCallback((typed: string) => change(kept(typed)), 300)

  return (
    <TextInput
      type={type}
      label={label}
      description={description}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        settle(event.currentTarget.value)
      }}
      maxLength={254}
      autoComplete="off"
      spellCheck={false}
      maw="30rem"
    />
  )
}
