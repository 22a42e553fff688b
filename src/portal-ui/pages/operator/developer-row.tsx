import { Anchor, Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { OperatedDeveloper } from '../../../gateway/portal/schemas/operator.ts'
import { type DeveloperVerb, useDeveloperChange } from '../../api/operator.ts'
import { useDeveloper } from '../../api/session.ts'
import { Confirm } from '../../components/confirm.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Time } from '../../components/time.tsx'
import classes from './operator.module.css'
import { sectionPath } from './section-links.tsx'

/** One developer in the list, with the operator's actions. */
export function DeveloperRow({ developer }: { readonly developer: OperatedDeveloper }) {
  const { email, name, isOperator, createdAt, approvedAt, suspendedAt, applications } = developer
  const count = applications === 1 ? '1 application' : `${applications} applications`
  return (
    <>
      <div className={classes['who']}>
        <Group gap="xs">
          <Text fw={600} component="span">
            <bdi>{name}</bdi>
          </Text>
          {isOperator ? <Badge variant="light">Operator</Badge> : null}
          {approvedAt === null ? (
            <Badge variant="light" color="amber">
              Waits for approval
            </Badge>
          ) : null}
          {suspendedAt === null ? null : (
            <Badge variant="light" color="red">
              Suspended
            </Badge>
          )}
        </Group>
        <Text size="sm">
          <bdi>{email}</bdi>
        </Text>
        <Text size="sm" c="dimmed" component="div">
          Since <Time at={createdAt} /> ·{' '}
          {applications === 0 ? (
            'no applications'
          ) : (
            <Anchor component={Link} href={sectionPath('applications', email)} underline="always">
              {count}
            </Anchor>
          )}
          {suspendedAt === null ? null : (
            <>
              {' '}
              · suspended <Time at={suspendedAt} />
            </>
          )}
        </Text>
      </div>
      <DeveloperActions developer={developer} />
    </>
  )
}

function DeveloperActions({ developer }: { readonly developer: OperatedDeveloper }) {
  const { id, name, email, approvedAt, suspendedAt } = developer
  const [asksFor, setAsksFor] = useState<'suspend' | 'resume'>()
  const change = useDeveloperChange()
  const isOneself = useDeveloper().id === id

  const begin = (verb: 'suspend' | 'resume') => {
    change.reset()
    setAsksFor(verb)
  }
  const finish = (verb: DeveloperVerb) =>
    change.mutate({ id, verb }, { onSuccess: () => setAsksFor(undefined) })
  const verb = suspendedAt === null ? 'suspend' : 'resume'

  return (
    <div className={classes['actions']}>
      {approvedAt === null ? (
        <Button
          size="xs"
          loading={change.isPending && asksFor === undefined}
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
          onClick={() => begin(verb)}
          aria-label={`${verb === 'suspend' ? 'Suspend' : 'Resume'} ${name}`}
        >
          {verb === 'suspend' ? 'Suspend' : 'Resume'}
        </Button>
      )}
      {asksFor === undefined ? <ProblemAlert error={change.error} /> : null}
      <Confirm
        opened={asksFor !== undefined}
        onClose={() => setAsksFor(undefined)}
        title={verb === 'suspend' ? 'Suspend this developer?' : 'Resume this developer?'}
        action={verb === 'suspend' ? 'Suspend developer' : 'Resume developer'}
        isDangerous={verb === 'suspend'}
        onConfirm={() => finish(verb)}
        isPending={change.isPending}
        error={change.error}
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
