import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { OperatedApplication } from '../../../gateway/portal/schemas/operator.ts'
import { useApplicationChange } from '../../api/operator.ts'
import { Confirm } from '../../components/confirm.tsx'

export interface ApplicationSuspensionProps {
  readonly application: OperatedApplication
  readonly size?: 'xs' | 'sm'
}

/** The button that suspends an application, or resumes it, once confirmed. */
export function ApplicationSuspension({ application, size = 'sm' }: ApplicationSuspensionProps) {
  const { id, name, developerEmail, suspendedAt } = application
  const [isOpen, setIsOpen] = useState(false)
  const change = useApplicationChange()
  const isSuspending = suspendedAt === null
  const verb = isSuspending ? 'Suspend' : 'Resume'
  return (
    <>
      <Button
        size={size}
        variant="default"
        aria-label={`${verb} ${name}`}
        onClick={() => {
          change.reset()
          setIsOpen(true)
        }}
      >
        {verb}
      </Button>
      <Confirm
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={`${verb} this application?`}
        action={`${verb} application`}
        isDangerous={isSuspending}
        onConfirm={() =>
          change.mutate(
            { id, verb: isSuspending ? 'suspend' : 'resume' },
            { onSuccess: () => setIsOpen(false) },
          )
        }
        isPending={change.isPending}
        error={change.error}
      >
        <Text>
          <bdi>{name}</bdi> of <bdi>{developerEmail}</bdi>:{' '}
          {isSuspending
            ? 'all its calls are refused with APPLICATION_SUSPENDED within a second. Keys, subscriptions and counts stay as they are.'
            : 'its keys work again within a second.'}
        </Text>
      </Confirm>
    </>
  )
}
