import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

/** What the address says a list is to look for: `?search=ada`. */
export function useSearchText(): string {
  const [params] = useSearchParams()
  return params.get('search') ?? ''
}

export interface SearchFieldProps {
  readonly label: string
  readonly description: string
  /** Member of the query in the page's address; `search` unless told. */
  readonly member?: string
}

/** A field whose text becomes part of the page's address a moment after the last key, so that a search can be kept and shared. */
export function SearchField({ label, description, member = 'search' }: SearchFieldProps) {
  const [params, setParams] = useSearchParams()
  const settled = params.get(member) ?? ''
  const [text, setText] = useState(settled)
  // Somebody went back, or followed a link to another search.
  useEffect(() => setText(settled), [settled])

  const settle = useDebouncedCallback((value: string) => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(member)
        else after.set(member, value)
        return after
      },
      { replace: true },
    )
  }, 300)

  return (
    <TextInput
      type="search"
      label={label}
      description={description}
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
