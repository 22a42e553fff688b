import { Radio, Stack } from '@mantine/core'
import type { PublishedPlan } from '../../../gateway/portal/schemas/catalogue.ts'
import { limitInWords } from '../../in-words.ts'

export interface PlanChoiceProps {
  readonly plans: readonly PublishedPlan[]
  /** Name of the chosen plan. */
  readonly value: string
  readonly onChange: (plan: string) => void
}

/** The choice of a plan: what each is for, and its limits in words. */
export function PlanChoice({ plans, value, onChange }: PlanChoiceProps) {
  return (
    <Radio.Group
      label="Plan"
      description="Your choice applies at once: no plan needs an approval."
      value={value}
      onChange={onChange}
    >
      <Stack gap="xs" mt={6}>
        {plans.map(({ name, title, description, limits }) => (
          <Radio
            key={name}
            value={name}
            label={title}
            description={`${limits.map(limitInWords).join('; ')}. ${description}`}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
