import { ActionIcon, Box, Text, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { t } from '../words.ts'
import classes from './code-block.module.css'
import { CopyIcon } from './copy-icon.tsx'
import { Highlighted } from './highlighted.tsx'

export interface CodeBlockProps {
  /** Shown and copied, byte for byte. */
  readonly source: string
  /** What it is, for screen readers: "curl", "Answer". */
  readonly label: string
  /** Beside the button that copies: a label, or tabs. */
  readonly top?: ReactNode
}

/** Source code with a button that copies it. Always from left to right. */
export function CodeBlock({ source, label, top }: CodeBlockProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  return (
    <div className={classes['root']} dir="ltr">
      <div className={classes['top']}>
        <div className={classes['beside']}>{top}</div>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={() => copy(source)}
          aria-label={t('code.copy', { label })}
        >
          <CopyIcon isCopied={copied} />
        </ActionIcon>
        <VisuallyHidden role="status">{copied ? t('code.copied') : ''}</VisuallyHidden>
      </div>
      {error === null ? null : (
        <Text size="sm" c="red" role="alert" px="sm">
          {t('code.copyFailed')}
        </Text>
      )}
      {/* It scrolls, so the keyboard must reach it. */}
      <Box
        component="pre"
        tabIndex={0}
        role="region"
        aria-label={label}
        className={classes['source'] ?? ''}
      >
        <code>
          <Highlighted source={source} />
        </code>
      </Box>
    </div>
  )
}
