import { Autocomplete, Button, Group, Stack, Text } from '@mantine/core'
import { useApprovedConsents, useReadyConsent } from '../../api/sandbox.ts'
import type { CallParameter } from '../../calls/call-shape.ts'
import { idName } from '../../calls/id-name.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'
import type { PageMemory } from './page-memory.ts'

export interface IdFieldProps {
  readonly applicationId: string
  readonly parameter: CallParameter
  readonly value: string
  readonly isMissing: boolean
  readonly memory: PageMemory
  readonly onChange: (id: string) => void
}

/** The field for an id from another answer: it lists those that are known; in the sandbox a ready consent is one click away. */
export function IdField(props: IdFieldProps) {
  const { applicationId, parameter, value, isMissing, memory, onChange } = props
  const { name, place, purpose, isRequired } = parameter
  const { hasSandbox } = useFacts()
  const takesReady = hasSandbox && name === 'Consent-ID'
  const approved = useApprovedConsents(applicationId, takesReady).data?.items ?? []
  const ready = useReadyConsent(applicationId, (made) => {
    memory.learnReady(made)
    onChange(made.consentId)
  })
  return (
    <Stack gap={6}>
      <Autocomplete
        label={t('playground.parameter', { name, place: t(`playground.${place}`) })}
        description={purpose === '' ? undefined : purpose}
        error={isMissing ? t('playground.enterValue') : undefined}
        required={isRequired}
        value={value}
        onChange={onChange}
        placeholder={t('playground.idFromAnswer')}
        data={[...(memory.toldIds[idName(name)] ?? [])]}
        // The typed text need not be in the list: every choice stays in sight.
        filter={({ options }) => options}
        renderOption={({ option }) => (
          <div>
            <Text size="xs" ff="monospace" dir="ltr">
              {option.value}
            </Text>
            {approved
              .filter(({ consentId }) => consentId === option.value)
              .map(({ consentId, psuName }) => (
                <Text key={consentId} size="xs" c="dimmed">
                  {t('playground.consentOf', { name: psuName })}
                </Text>
              ))}
          </div>
        )}
        comboboxProps={{ shadow: 'md' }}
        autoComplete="off"
        spellCheck={false}
      />
      {takesReady ? (
        <>
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              loading={ready.isPending}
              onClick={() => ready.mutate()}
            >
              {t('playground.readyConsent')}
            </Button>
          </Group>
          <Text size="xs" c="dimmed">
            {t('consent.onlyOne')}
          </Text>
          <ProblemAlert error={ready.error} />
        </>
      ) : null}
    </Stack>
  )
}
