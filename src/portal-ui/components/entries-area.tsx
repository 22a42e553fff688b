import { Textarea, type TextareaProps } from '@mantine/core'

/** A field for a list, one entry on each line; `entriesOf` reads it. */
export function EntriesArea(props: TextareaProps) {
  return <Textarea {...props} dir="ltr" autosize autoComplete="off" spellCheck={false} />
}
