import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { OperatedApplication } from '../../../portal/api/schemas/operator.ts'
import { useApplicationChange } from '../../api/operator.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { t } from '../../words.ts'

export interface ApplicationSuspensionProps {
  readonly application: OperatedApplication
  /** Whether a row's menu offers it, not a button. */
  readonly inMenu?: boolean
}

/** The button or menu that suspends an application, or resumes it, once confirmed. */
export function ApplicationSuspension({ application, inMenu = false }: ApplicationSuspensionProps) {
  const { id, name, developerEmail, suspendedAt } = application
  const change = useApplicationChange()
  const [opened, { open, close }] = useDisclosure(false, { onOpen: change.reset })
  const isSuspending = suspendedAt === null
  const verb = isSuspending ? 'suspend' : 'resume'
  const [label, named] = [t(`operator.${verb}`), t(`operator.${verb}Named`, { name })]
  return (
    <>
      {inMenu ? (
        <RowMenu
          label={t('keys.actionsFor', { name })}
          items={[{ label, name: named, onChoose: open }]}
        />
      ) : (
        <Button variant="default" aria-label={named} onClick={open}>
          {label}
        </Button>
      )}
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
