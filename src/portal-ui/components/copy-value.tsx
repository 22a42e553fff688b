import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { t } from '../words.ts'
import { CopyIcon } from './copy-icon.tsx'
import classes from './copy-value.module.css'

export interface CopyValueProps {
  /** What is copied. */
  readonly value: string
  /** How it is shown, where that differs: an IBAN in groups. */
  readonly shown?: string
  /** What it is, for screen readers: "IBAN of Noa Levi in ILS". */
  readonly label: string
}

/** A short value inside other text, with a small button that copies it. */
export function CopyValue({ value, shown = value, label }: CopyValueProps) {
  const { copy, copied } = useClipboard({ timeout: 2_000 })
  return (
    <span className={classes['root']}>
      <bdi className={classes['value']}>{shown}</bdi>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        onClick={() => copy(value)}
        aria-label={t('common.copy', { what: label })}
      >
        <CopyIcon isCopied={copied} />
      </ActionIcon>
      <VisuallyHidden role="status">{copied ? t('common.copied') : ''}</VisuallyHidden>
    </span>
  )
}
