import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
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
  const change = useApplicationChange()
  const [opened, { open, close }] = useDisclosure(false, { onOpen: change.reset })
  const isSuspending = suspendedAt === null
  const verb = isSuspending ? 'Suspend' : 'Resume'
  return (
    <>
      <Button size={size} variant="default" aria-label={`${verb} ${name}`} onClick={open}>
        {verb}
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title={`${verb} this application?`}
        action={`${verb} application`}
        isDangerous={isSuspending}
        onConfirm={() =>
          change.mutate({ id, verb: isSuspending ? 'suspend' : 'resume' }, { onSuccess: close })
        }
        mutation={change}
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
