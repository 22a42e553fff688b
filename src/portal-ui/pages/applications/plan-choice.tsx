import { Radio, Stack } from '@mantine/core'
import type { PublishedPlan } from '../../../portal/api/schemas/catalogue.ts'
import { DocumentText } from '../../components/document-text.tsx'
import { limitInWords } from '../../in-words.ts'
import { t } from '../../words.ts'

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
      label={t('plans.plan')}
      description={t('plans.choiceApplies')}
      value={value}
      onChange={onChange}
    >
      <Stack gap="xs" mt={6}>
        {plans.map(({ name, title, description, limits }) => (
          <Radio
            key={name}
            value={name}
            label={<bdi>{title}</bdi>}
            description={
              <>
                {limits.map(limitInWords).join('; ')}. <DocumentText text={description} />
              </>
            }
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
