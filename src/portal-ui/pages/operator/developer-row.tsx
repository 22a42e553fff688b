import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { OperatedDeveloper } from '../../../gateway/portal/schemas/operator.ts'
import { type DeveloperVerb, useDeveloperChange } from '../../api/operator.ts'
import { useDeveloper } from '../../api/session.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { t } from '../../words.ts'
import classes from './operator.module.css'
import { sectionPath } from './section-links.tsx'

/** One developer in the list, with the operator's actions. */
export function DeveloperRow({ developer }: { readonly developer: OperatedDeveloper }) {
  const { id, email, name, isOperator, createdAt, approvedAt, suspendedAt, applications } =
    developer
  const { acceptedTermsVersion, acceptedTermsAt } = developer
  return (
    <>
      <div className={classes['who']}>
        <Group gap="xs">
          <Text fw={600} component="span">
            <bdi>{name}</bdi>
          </Text>
          {isOperator ? <Pill tone="accent">{t('shell.operator')}</Pill> : null}
          {approvedAt === null ? (
            <Pill tone="warn" hasDot>
              {t('state.awaitingApproval')}
            </Pill>
          ) : null}
          {suspendedAt === null ? null : (
            <Pill tone="bad" hasDot>
              {t('state.suspended')}
            </Pill>
          )}
        </Group>
        <Text size="sm">
          <bdi>{email}</bdi>
        </Text>
        <Text size="sm" c="dimmed" component="div">
          <Message id="operator.since" values={{ time: <Time at={createdAt} /> }} />
          {' · '}
          {applications === 0 ? (
            t('operator.withoutApplications')
          ) : (
            <TextLink href={sectionPath('applications', { search: email })}>
              {t('operator.countedApplications', { count: applications, more: 'no' })}
            </TextLink>
          )}
          {acceptedTermsVersion === null || acceptedTermsAt === null ? null : (
            <>
              {' · '}
              <Message
                id="operator.acceptedTerms"
                values={{
                  version: <bdi>{acceptedTermsVersion}</bdi>,
                  time: <Time at={acceptedTermsAt} />,
                }}
              />
            </>
          )}
          {suspendedAt === null ? null : (
            <>
              {' · '}
              <Message id="operator.suspendedSince" values={{ time: <Time at={suspendedAt} /> }} />
            </>
          )}
          {' · '}
          <TextLink href={sectionPath('security-events', { party: `developer:${id}` })}>
            {t('operator.security-events')}
          </TextLink>
          {' · '}
          <TextLink href={sectionPath('audit', { subject: `developer:${id}` })}>
            {t('operator.audit')}
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
          aria-label={t('operator.approveNamed', { name })}
        >
          {t('operator.approve')}
        </Button>
      ) : null}
      {isOneself ? null : (
        <Button
          size="xs"
          variant="default"
          onClick={open}
          aria-label={t(`operator.${verb}Named`, { name })}
        >
          {t(`operator.${verb}`)}
        </Button>
      )}
      {opened ? null : <ProblemAlert error={change.error} />}
      <Confirm
        opened={opened}
        onClose={close}
        title={t(`operator.${verb}DeveloperTitle`)}
        action={t(`operator.${verb}Developer`)}
        isDangerous={verb === 'suspend'}
        onConfirm={() => finish(verb)}
        mutation={change}
      >
        <Text>
          <Message
            id={`operator.${verb}DeveloperMeans`}
            values={{ name: <bdi>{name}</bdi>, email: <bdi>{email}</bdi> }}
          />
        </Text>
      </Confirm>
    </div>
  )
}
