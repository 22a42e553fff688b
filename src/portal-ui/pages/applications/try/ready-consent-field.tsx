import { Button, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReadyConsent, SandboxCustomer } from '../../../../portal/api/schemas/sandbox.ts'
import { useReadyConsent } from '../../../api/sandbox.ts'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { customerName } from '../../../customer-name.ts'
import { t } from '../../../words.ts'
import playground from './playground.module.css'

export interface ReadyConsentFieldProps {
  readonly applicationId: string
  /** Empty until the sandbox is known. */
  readonly customers: readonly SandboxCustomer[]
  readonly onMade: (made: ReadyConsent) => void
}

/** Makes a valid consent of the chosen sandbox customer. */
export function ReadyConsentField({ applicationId, customers, onMade }: ReadyConsentFieldProps) {
  const ready = useReadyConsent(applicationId, onMade)
  const [chosen, setChosen] = useState<string>()
  const consenting = customers.filter(({ isReadyToConsent }) => isReadyToConsent)
  const customer = consenting.find(({ psuId }) => psuId === chosen) ?? consenting[0]
  if (customer === undefined) return null
  return (
    <>
      <div className={playground['ready']}>
        <NativeSelect
          size="xs"
          aria-label={t('playground.readyCustomer')}
          value={customer.psuId}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={consenting.map((each) => ({ value: each.psuId, label: customerName(each) }))}
        />
        <Button
          size="xs"
          variant="default"
          loading={ready.isPending}
          onClick={() => ready.mutate(customer.psuId)}
        >
          {t('playground.readyConsent', { name: customerName(customer) })}
        </Button>
      </div>
      <Text size="xs" c="dimmed">
        {t('consent.onlyOne')}
      </Text>
      <ProblemAlert error={ready.error} />
    </>
  )
}
