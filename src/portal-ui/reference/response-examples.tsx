import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { t } from '../words.ts'
import type { EntryResponse } from './operation-entry.ts'
import classes from './reference.module.css'

/** Examples of every response, one at a time; a success first. */
export function ResponseExamples({ responses }: { readonly responses: readonly EntryResponse[] }) {
  const examples = responses.flatMap(({ status, contents }) =>
    contents.flatMap(({ examples, mediaType }) =>
      examples.map(({ title, value }) => ({
        name: `${status} ${mediaType} ${title}`,
        status,
        label: title === '' ? status : `${status} · ${title}`,
        text: JSON.stringify(value, null, 2) ?? '',
      })),
    ),
  )
  const [chosen, choose] = useState<string>()
  const shown = examples.find(({ name }) => name === chosen) ?? examples[0]
  if (shown === undefined) return null
  return (
    <CodeBlock
      source={shown.text}
      label={t('reference.responseOf', { status: shown.status })}
      top={
        <NativeSelect
          size="xs"
          variant="unstyled"
          aria-label={t('reference.chooseResponse')}
          className={classes['exampleChoice'] ?? ''}
          value={shown.name}
          data={examples.map(({ name, label }) => ({ value: name, label }))}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      }
    />
  )
}
