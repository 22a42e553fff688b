import { Button, Group, Text } from '@mantine/core'
import { useReadyConsent } from '../../api/sandbox.ts'
import { idName } from '../../calls/id-name.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useFacts } from '../../facts.tsx'
import classes from './applications.module.css'
import type { PageMemory } from './page-memory.ts'

/** What developers have to know before they make another consent. */
export const oneConsent =
  'A new consent of a customer replaces this application’s earlier one once it is approved.'

export interface ToldIdsProps {
  readonly applicationId: string
  /** Name of the parameter. */
  readonly name: string
  readonly value: string
  readonly memory: PageMemory
  readonly onChoose: (id: string) => void
}

/** Buttons with ids from earlier responses; in the sandbox, also one for a ready consent. */
export function ToldIds({ applicationId, name, value, memory, onChoose }: ToldIdsProps) {
  const { hasSandbox } = useFacts()
  const ready = useReadyConsent(applicationId, (made) => {
    memory.learnReady(made)
    onChoose(made.consentId)
  })
  const others = (memory.toldIds[idName(name)] ?? []).filter((id) => id !== value)
  const takesReady = hasSandbox && name === 'Consent-ID'
  if (others.length === 0 && !takesReady) return null
  return (
    <div>
      <Group gap="xs">
        {others.map((id) => (
          <Button
            key={id}
            size="compact-sm"
            variant="default"
            onClick={() => onChoose(id)}
            className={classes['chip'] ?? ''}
          >
            Use&nbsp;<bdi>{id}</bdi>
          </Button>
        ))}
        {takesReady ? (
          <Button
            size="compact-sm"
            variant="default"
            loading={ready.isPending}
            onClick={() => ready.mutate()}
          >
            Use a ready consent of Noa Levi
          </Button>
        ) : null}
      </Group>
      {takesReady ? (
        <Text size="sm" c="dimmed" mt={4}>
          {oneConsent}
        </Text>
      ) : null}
      <ProblemAlert error={ready.error} />
    </div>
  )
}
