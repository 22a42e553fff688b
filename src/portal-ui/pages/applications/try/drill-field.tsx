import { NativeSelect } from '@mantine/core'
import type { CallParameter } from '../../../calls/call-shape.ts'
import { t, words } from '../../../words.ts'

export interface DrillFieldProps {
  readonly parameter: CallParameter
  /** Empty: no drill. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Selects the failure that the sandbox simulates for the call. */
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

/** The label of a drill; the bare value for a drill of a newer gateway. */
function labelOf(drill: string): string {
  const id = `playground.drill.${drill}`
  return words().knows(id) ? t(id) : drill
}
