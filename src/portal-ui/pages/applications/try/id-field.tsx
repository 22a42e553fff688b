import { Stack, Text } from '@mantine/core'
import { useApprovedConsents, useSandbox } from '../../../api/sandbox.ts'
import type { CallParameter } from '../../../calls/call-shape.ts'
import { idName } from '../../../calls/id-name.ts'
import { Combobox } from '../../../components/combobox.tsx'
import { customerName } from '../../../customer-name.ts'
import { useFacts } from '../../../facts.tsx'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'
import type { PageMemory } from '../page-memory.ts'
import { ReadyConsentField } from './ready-consent-field.tsx'

export interface IdFieldProps {
  readonly applicationId: string
  readonly parameter: CallParameter
  readonly value: string
  readonly isMissing: boolean
  readonly memory: PageMemory
  readonly onChange: (id: string) => void
}

/**
 * The field for an id from another answer: it lists those that are known; in
 * the sandbox a ready consent of each customer is one click away.
 */
export function IdField(props: IdFieldProps) {
  const { applicationId, parameter, value, isMissing, memory, onChange } = props
  const { name, place, purpose, isRequired } = parameter
  const { hasSandbox } = useFacts()
  const takesReady = hasSandbox && name === 'Consent-ID'
  const approved = useApprovedConsents(applicationId, takesReady).data?.items ?? []
  const { data: sandbox } = useSandbox(takesReady)
  const ownerOf = (id: string) => {
    const owned = [...approved, ...memory.ready].find(({ consentId }) => consentId === id)
    const customer = sandbox?.customers.find((each) => each.name === owned?.psuName)
    return customer === undefined ? owned?.psuName : customerName(customer)
  }
  return (
    <Stack gap={6}>
      <Combobox
        label={t('playground.parameter', { name, place: t(`playground.${place}`) })}
        description={purpose === '' ? undefined : purpose}
        error={isMissing ? t('playground.enterValue') : undefined}
        required={isRequired}
        text={value}
        onType={onChange}
        onChoose={onChange}
        placeholder={t('playground.idFromAnswer')}
        // The typed text need not be in the list: every choice stays in sight.
        options={[...(memory.toldIds[idName(name)] ?? [])].map((id) => ({
          value: id,
          content: (
            <div>
              <Text size="xs" ff="monospace" dir="ltr">
                {id}
              </Text>
              <OwnerOf name={ownerOf(id)} />
            </div>
          ),
        }))}
        dir={value === '' ? undefined : 'ltr'}
        classNames={{ input: value === '' ? '' : (classes['code'] ?? '') }}
      />
      {takesReady ? (
        <ReadyConsentField
          applicationId={applicationId}
          customers={sandbox?.customers ?? []}
          onMade={(made) => {
            memory.learnReady(made)
            onChange(made.consentId)
          }}
        />
      ) : null}
    </Stack>
  )
}

function OwnerOf({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null
  return (
    <Text size="xs" c="dimmed">
      {t('playground.consentOf', { name })}
    </Text>
  )
}
