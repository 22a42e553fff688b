import { UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { type KeyboardEvent, useId } from 'react'
import { CodeBlock } from './code-block.tsx'
import classes from './code-tabs.module.css'

export interface CodeTabsProps {
  /** The same in several languages; at least one. */
  readonly samples: readonly { readonly label: string; readonly source: string }[]
  /** What the sample does, for screen readers. */
  readonly label: string
}

/**
 * A sample with a tab for each language. The chosen language is kept in the
 * browser and holds for every sample of the portal at once.
 */
export function CodeTabs({ samples, label }: CodeTabsProps) {
  const id = useId()
  const [language, choose] = useLocalStorage({
    key: 'sample-language',
    defaultValue: samples[0]?.label ?? '',
    getInitialValueInEffect: false,
  })
  const chosen = samples.find((sample) => sample.label === language) ?? samples[0]
  if (chosen === undefined) return null
  const index = samples.indexOf(chosen)

  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = step === undefined ? undefined : samples.at((index + step) % samples.length)
    if (next === undefined) return
    event.preventDefault()
    choose(next.label)
    document.getElementById(`${id}-${next.label}`)?.focus()
  }

  return (
    <CodeBlock
      source={chosen.source}
      label={`${label}, ${chosen.label}`}
      top={
        <div role="tablist" aria-label={label} className={classes['tabs']} onKeyDown={move}>
          {samples.map((sample) => (
            <UnstyledButton
              key={sample.label}
              id={`${id}-${sample.label}`}
              role="tab"
              aria-selected={sample === chosen}
              tabIndex={sample === chosen ? 0 : -1}
              className={classes['tab'] ?? ''}
              onClick={() => choose(sample.label)}
            >
              {sample.label}
            </UnstyledButton>
          ))}
        </div>
      }
    />
  )
}
