import { ActionIcon, Button, Code, Group, Text, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { t } from '../words.ts'
import { CopyIcon } from './copy-icon.tsx'
import classes from './copy-line.module.css'

export interface CopyLineProps {
  /** What is shown and copied, byte for byte. */
  readonly text: string
  /** What it is: "API key", "command". */
  readonly label: string
  /** Shows a labelled button instead of the icon. */
  readonly isProminent?: boolean
  /** Another button in the row of the button that copies. */
  readonly beside?: ReactNode
}

/** A line of text with a button that copies it and confirms that. */
export function CopyLine({ text, label, isProminent = false, beside }: CopyLineProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  return (
    <>
      <Group gap="xs" wrap="nowrap" align="stretch" className={classes['root'] ?? ''}>
        {/* It scrolls, so the keyboard must reach it. */}
        <Code
          block
          dir="ltr"
          tabIndex={0}
          role="region"
          aria-label={label}
          className={classes['text'] ?? ''}
        >
          {text}
        </Code>
        {isProminent ? (
          <Button onClick={() => copy(text)} className={classes['button'] ?? ''}>
            {copied ? t('common.copied') : t('common.copy', { what: label })}
          </Button>
        ) : (
          <ActionIcon
            variant="default"
            size="lg"
            onClick={() => copy(text)}
            aria-label={t('common.copy', { what: label })}
            className={classes['button'] ?? ''}
          >
            <CopyIcon isCopied={copied} />
          </ActionIcon>
        )}
        {beside}
        <VisuallyHidden role="status">{copied ? t('common.copied') : ''}</VisuallyHidden>
      </Group>
      {error === null ? null : (
        <Text size="sm" c="red" role="alert">
          {t('common.copyFailed')}
        </Text>
      )}
    </>
  )
}
