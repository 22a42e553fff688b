import { NativeSelect } from '@mantine/core'
import type { CallParameter } from '../../../calls/call-shape.ts'
import { t, words } from '../../../words.ts'

export interface DrillFieldProps {
  readonly parameter: CallParameter
  /** Empty: no drill. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Chooses the bad moment whose answer the sandbox gives to the call. */
export function DrillField({ parameter: { name, choices }, value, onChange }: DrillFieldProps) {
  return (
    <NativeSelect
      label={t('playground.drill')}
      description={t('playground.drillMeans', { header: name })}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: t('playground.drill.none') },
        ...choices.map((choice) => ({ value: choice, label: labelOf(choice) })),
      ]}
    />
  )
}

/** In words; a drill of a newer gateway has its value only. */
function labelOf(drill: string): string {
  const id = `playground.drill.${drill}`
  return words().knows(id) ? t(id) : drill
}
