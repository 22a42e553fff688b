import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

/** The search text in the page's address: `?search=ada`. */
export function useSearchText(): string {
  const [params] = useSearchParams()
  return params.get('search') ?? ''
}

export interface SearchFieldProps {
  readonly label: string
  readonly description: string
  /** Name of the parameter in the page's address (default: search). */
  readonly member?: string
}

/** A search field that writes its text into the page's address shortly after the last key press, so that a search can be bookmarked and shared. */
export function SearchField({ label, description, member = 'search' }: SearchFieldProps) {
  const [params, setParams] = useSearchParams()
  const settled = params.get(member) ?? ''
  const [text, setText] = useState(settled)
  // The operator went back, or followed a link to another search.
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
