import { Badge, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { OperatedDeveloper } from '../../../gateway/portal/schemas/operator.ts'
import { type DeveloperVerb, useDeveloperChange } from '../../api/operator.ts'
import { useDeveloper } from '../../api/session.ts'
import { Confirm } from '../../components/confirm.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import classes from './operator.module.css'
import { sectionPath } from './section-links.tsx'

/** One developer in the list, with the operator's actions. */
export function DeveloperRow({ developer }: { readonly developer: OperatedDeveloper }) {
  const { id, email, name, isOperator, createdAt, approvedAt, suspendedAt, applications } =
    developer
  const count = applications === 1 ? '1 application' : `${applications} applications`
  return (
    <>
      <div className={classes['who']}>
        <Group gap="xs">
          <Text fw={600} component="span">
            <bdi>{name}</bdi>
          </Text>
          {isOperator ? <Badge>Operator</Badge> : null}
          {approvedAt === null ? <Badge color="amber">Awaiting approval</Badge> : null}
          {suspendedAt === null ? null : <Badge color="red">Suspended</Badge>}
        </Group>
        <Text size="sm">
          <bdi>{email}</bdi>
        </Text>
        <Text size="sm" c="dimmed" component="div">
          Since <Time at={createdAt} /> ·{' '}
          {applications === 0 ? (
            'no applications'
          ) : (
            <TextLink href={sectionPath('applications', { search: email })}>{count}</TextLink>
          )}
          {suspendedAt === null ? null : (
            <>
              {' '}
              · suspended <Time at={suspendedAt} />
            </>
          )}{' '}
          ·{' '}
          <TextLink href={sectionPath('security-events', { party: `developer:${id}` })}>
            security events
          </TextLink>
        </Text>
      </div>
      <DeveloperActions developer={developer} />
    </>
  )
}

function DeveloperActions({ developer }: { readonly developer: OperatedDeveloper }) {
  const { id, name, email, approvedAt, suspendedAt } = developer
  const change = useDeveloperChange()
  const [opened, { open, close }] = useDisclosure(false, { onOpen: change.reset })
  const isOneself = useDeveloper().id === id

  const finish = (verb: DeveloperVerb) => change.mutate({ id, verb }, { onSuccess: close })
  const verb = suspendedAt === null ? 'suspend' : 'resume'

  return (
    <div className={classes['actions']}>
      {approvedAt === null ? (
        <Button
          size="xs"
          loading={change.isPending && !opened}
          onClick={() => finish('approve')}
          aria-label={`Approve ${name}`}
        >
          Approve
        </Button>
      ) : null}
      {isOneself ? null : (
        <Button
          size="xs"
          variant="default"
          onClick={open}
          aria-label={`${verb === 'suspend' ? 'Suspend' : 'Resume'} ${name}`}
        >
          {verb === 'suspend' ? 'Suspend' : 'Resume'}
        </Button>
      )}
      {opened ? null : <ProblemAlert error={change.error} />}
      <Confirm
        opened={opened}
        onClose={close}
        title={verb === 'suspend' ? 'Suspend this developer?' : 'Resume this developer?'}
        action={verb === 'suspend' ? 'Suspend developer' : 'Resume developer'}
        isDangerous={verb === 'suspend'}
        onConfirm={() => finish(verb)}
        mutation={change}
      >
        <Text>
          <bdi>{name}</bdi> (<bdi>{email}</bdi>){' '}
          {verb === 'suspend'
            ? 'is signed out and cannot sign in. The gateway refuses the calls of all their applications. Nothing is deleted, and you can resume the account.'
            : 'can sign in again, and their applications can call again. Applications that were suspended separately stay suspended.'}
        </Text>
      </Confirm>
    </div>
  )
}
