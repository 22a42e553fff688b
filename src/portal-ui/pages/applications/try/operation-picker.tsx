import { Text } from '@mantine/core'
import { useState } from 'react'
import type { PublishedOperation } from '../../../../portal/api/schemas/catalogue.ts'
import { Combobox } from '../../../components/combobox.tsx'
import { MethodBadge } from '../../../components/method-badge.tsx'
import { t } from '../../../words.ts'
import classes from './playground.module.css'

export interface OperationPickerProps {
  readonly operations: readonly PublishedOperation[]
  /** Id of an operation. */
  readonly chosen: string | undefined
  readonly isDisabled: boolean
  readonly onChoose: (operation: string) => void
}

/** Chooses an operation by part of its name, id, method or path. */
export function OperationPicker(props: OperationPickerProps) {
  const { operations, chosen, isDisabled, onChoose } = props
  const [typed, setTyped] = useState<string>()
  const current = operations.find(({ id }) => id === chosen)
  return (
    <Combobox
      label={t('playground.operation')}
      text={typed ?? (current === undefined ? '' : nameOf(current))}
      disabled={isDisabled}
      options={foundIn(operations, typed ?? '').map(({ id, method, summary, path }) => ({
        value: id,
        content: (
          <span className={classes['option']}>
            <MethodBadge method={method} />
            <span className={classes['optionWords']}>
              <bdi>{summary}</bdi>{' '}
              <Text component="code" size="xs" c="dimmed" dir="ltr">
                {path}
              </Text>
            </span>
          </span>
        ),
      }))}
      nothingFound={t('playground.noOperation')}
      onType={setTyped}
      onChoose={(operation) => {
        setTyped(undefined)
        onChoose(operation)
      }}
      // What is typed replaces the name of the chosen one.
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => setTyped(undefined)}
    />
  )
}

function nameOf({ method, summary }: PublishedOperation): string {
  return `${summary} · ${method}`
}

/** Those whose name, id or path contains a text; first the one whose id it is. */
function foundIn(
  operations: readonly PublishedOperation[],
  text: string,
): readonly PublishedOperation[] {
  const typed = text.trim().toLowerCase()
  const isExact = ({ id }: PublishedOperation) => id.toLowerCase() === typed
  return operations
    .filter((each) => `${nameOf(each)}\n${each.id}\n${each.path}`.toLowerCase().includes(typed))
    .toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)))
}
