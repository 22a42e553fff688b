import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { OperatedApplication } from '../../../gateway/portal/schemas/operator.ts'
import { useApplicationChange } from '../../api/operator.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import { t } from '../../words.ts'

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
  const verb = isSuspending ? 'suspend' : 'resume'
  return (
    <>
      <Button
        size={size}
        variant="default"
        aria-label={t(`operator.${verb}Named`, { name })}
        onClick={open}
      >
        {t(`operator.${verb}`)}
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title={t(`operator.${verb}ApplicationTitle`)}
        action={t(`operator.${verb}Application`)}
        isDangerous={isSuspending}
        onConfirm={() => change.mutate({ id, verb }, { onSuccess: close })}
        mutation={change}
      >
        <Text>
          <Message
            id={`operator.${verb}ApplicationMeans`}
            values={{ name: <bdi>{name}</bdi>, email: <bdi>{developerEmail}</bdi> }}
          />
        </Text>
      </Confirm>
    </>
  )
}
