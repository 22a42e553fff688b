import { DirectionProvider, Tabs } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
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
 * browser and applies to every sample of the portal at once.
 */
export function CodeTabs({ samples, label }: CodeTabsProps) {
  const [language, choose] = useLocalStorage({
    key: 'sample-language',
    defaultValue: samples[0]?.label ?? '',
    getInitialValueInEffect: false,
  })
  const chosen = samples.find((sample) => sample.label === language) ?? samples[0]
  if (chosen === undefined) return null
  return (
    <CodeBlock
      source={chosen.source}
      label={`${label}, ${chosen.label}`}
      top={
        // As the code, from left to right in every language.
        <DirectionProvider initialDirection="ltr" detectDirection={false}>
          <Tabs
            variant="none"
            value={chosen.label}
            onChange={(value) => value !== null && choose(value)}
            classNames={{ list: classes['tabs'] ?? '', tab: classes['tab'] ?? '' }}
          >
            <Tabs.List aria-label={label}>
              {samples.map((sample) => (
                <Tabs.Tab key={sample.label} value={sample.label}>
                  {sample.label}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        </DirectionProvider>
      }
    />
  )
}
