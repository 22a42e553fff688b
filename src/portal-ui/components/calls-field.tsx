import { TextInput, type TextInputProps } from '@mantine/core'

/** A field of a form for a number of calls. */
export function CallsField(props: TextInputProps) {
  return <TextInput {...props} inputMode="numeric" autoComplete="off" maxLength={10} required />
}

/** @returns the number in such a field; 0, which the portal refuses, for anything else */
export function callsIn(text: string): number {
  return /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0
}
