import { ActionIcon, Box, Text, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { t } from '../words.ts'
import classes from './code-block.module.css'
import { CopyIcon } from './copy-icon.tsx'
import { Highlighted } from './highlighted.tsx'

export interface CodeBlockProps {
  /** Copied, byte for byte; also shown unless there are children. */
  readonly source: string
  /** What it is, for screen readers: "curl", "Answer". */
  readonly label: string
  /** Beside the button that copies: a label, or tabs. */
  readonly top?: ReactNode
  /** Shown in place of the source: its beginning, or with links in it. */
  readonly children?: ReactNode
  /** Whether long lines break, where the block has no room to scroll sideways (default: false). */
  readonly isWrapped?: boolean
}

/** Source code with a button that copies it. Always from left to right. */
export function CodeBlock(props: CodeBlockProps) {
  const { source, label, top, children, isWrapped = false } = props
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  return (
    <Box className={classes['root'] ?? ''} dir="ltr" mod={{ bare: top === undefined }}>
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
        mod={{ wrapped: isWrapped }}
      >
        <code>{children ?? <Highlighted source={source} />}</code>
      </Box>
    </Box>
  )
}
