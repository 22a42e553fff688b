import { Stack, Text } from '@mantine/core'
import type { PublishedPlan } from '../../../gateway/portal/schemas/catalogue.ts'
import { limitInWords } from '../../in-words.ts'

/** The plans of a version with their limits in words. */
export function PlanList({ plans }: { readonly plans: readonly PublishedPlan[] }) {
  if (plans.length === 0) {
    return <Text c="dimmed">This version has no plan at the moment.</Text>
  }
  return (
    <Stack gap="xs">
      {plans.map(({ name, title, description, limits }) => (
        <div key={name}>
          <Text fw={600} size="sm">
            {title}
          </Text>
          {description === '' ? null : (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
          {limits.map((limit) => (
            <Text key={limit.name} size="sm" c="dimmed">
              {limitInWords(limit)}
            </Text>
          ))}
        </div>
      ))}
    </Stack>
  )
}
