import { Code } from '@mantine/core'
import { Fragment } from 'react'

/** Renders a sentence; parts between backticks become code. */
export function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) => {
    // The parts of a sentence never change order.
    const key = `${at} ${part}`
    return at % 2 === 1 ? <Code key={key}>{part}</Code> : <Fragment key={key}>{part}</Fragment>
  })
}
