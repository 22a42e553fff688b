import { ActionIcon, Button, Code, Group, Text, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import classes from './copy-line.module.css'

export interface CopyLineProps {
  /** What is shown and copied, byte for byte. */
  readonly text: string
  /** What it is: "API key", "command". */
  readonly label: string
  /** Shows a button with words instead of the small one. */
  readonly isProminent?: boolean
}

/** A line of text to take along, with a button that copies it and says so. */
export function CopyLine({ text, label, isProminent = false }: CopyLineProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  return (
    <>
      <Group gap="xs" wrap="nowrap" align="stretch" className={classes['root'] ?? ''}>
        {/* Scrolls by itself, so the keyboard has to reach it. */}
        <Code block tabIndex={0} role="region" aria-label={label} className={classes['text'] ?? ''}>
          {text}
        </Code>
        {isProminent ? (
          <Button onClick={() => copy(text)} className={classes['button'] ?? ''}>
            {copied ? 'Copied' : `Copy ${label}`}
          </Button>
        ) : (
          <ActionIcon
            variant="default"
            size="lg"
            onClick={() => copy(text)}
            aria-label={`Copy ${label}`}
            className={classes['button'] ?? ''}
          >
            <svg
              viewBox="0 0 16 16"
              width="16"
              height="16"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              aria-hidden="true"
            >
              {copied ? (
                <path d="M3 8.5l3.2 3L13 4.5" />
              ) : (
                <path d="M6 5.5h7v8H6zM3.5 10.5H3v-8h7V3" />
              )}
            </svg>
          </ActionIcon>
        )}
        <VisuallyHidden role="status">{copied ? 'Copied' : ''}</VisuallyHidden>
      </Group>
      {error === null ? null : (
        <Text size="sm" c="red" role="alert">
          Could not be copied: select it instead
        </Text>
      )}
    </>
  )
}
