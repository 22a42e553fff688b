import { Button, Group, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from 'wouter'
import type { OperatedDeveloper } from '../../../portal/api/schemas/operator.ts'
import { type DeveloperVerb, useDeveloperChange } from '../../api/operator.ts'
import { useDeveloper } from '../../api/session.ts'
import { Confirm } from '../../components/confirm.tsx'
import { EmptyCell, RowActions, RowName } from '../../components/data-table.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { ShortTime } from '../../components/short-time.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'
import { sectionPath } from './section-links.tsx'

export interface DeveloperRowProps {
  readonly developer: OperatedDeveloper
  /** Whether the table has a column for the terms that the developer accepted. */
  readonly hasTerms: boolean
}

/** One developer in the table, with the operator's actions. */
export function DeveloperRow({ developer, hasTerms }: DeveloperRowProps) {
  const { email, name, isOperator, createdAt, applications } = developer
  const { acceptedTermsVersion, acceptedTermsAt } = developer
  return (
    <Table.Tr>
      <RowName>
        <bdi>{name}</bdi>{' '}
        {isOperator ? (
          <>
            <Pill tone="accent">{t('shell.operator')}</Pill>{' '}
          </>
        ) : null}
        <Text span c="dimmed" size="sm" fw={400}>
          <bdi>{email}</bdi>
        </Text>
      </RowName>
      <Table.Td>
        <DeveloperState developer={developer} />
      </Table.Td>
      <Table.Td data-number>
        {applications === 0 ? (
          '0'
        ) : (
          <TextLink
            href={sectionPath('applications', { search: email })}
            inherit
            aria-label={t('operator.countedApplications', { count: applications, more: 'no' })}
          >
            {wholeNumber(applications)}
          </TextLink>
        )}
      </Table.Td>
      <Table.Td>
        <ShortTime at={createdAt} />
      </Table.Td>
      {!hasTerms ? null : acceptedTermsVersion === null || acceptedTermsAt === null ? (
        <EmptyCell />
      ) : (
        <Table.Td>
          <Message
            id="operator.acceptedTerms"
            values={{
              version: <bdi>{acceptedTermsVersion}</bdi>,
              time: <ShortTime at={acceptedTermsAt} />,
            }}
          />
        </Table.Td>
      )}
      <RowActions>
        <DeveloperActions developer={developer} />
      </RowActions>
    </Table.Tr>
  )
}

function DeveloperState({ developer }: { readonly developer: OperatedDeveloper }) {
  const { approvedAt, suspendedAt } = developer
  if (suspendedAt !== null) {
    return (
      <Pill tone="bad" hasDot>
        <Message id="operator.suspendedSince" values={{ time: <ShortTime at={suspendedAt} /> }} />
      </Pill>
    )
  }
  return approvedAt === null ? (
    <Pill tone="warn" hasDot>
      {t('operator.waiting')}
    </Pill>
  ) : (
    <Pill tone="ok" hasDot>
      {t('operator.key.active')}
    </Pill>
  )
}

function DeveloperActions({ developer }: { readonly developer: OperatedDeveloper }) {
  const { id, name, email, approvedAt, suspendedAt } = developer
  const [, navigate] = useLocation()
  const change = useDeveloperChange()
  const [opened, { open, close }] = useDisclosure(false, { onOpen: change.reset })
  const isOneself = useDeveloper().id === id

  const finish = (verb: DeveloperVerb) => change.mutate({ id, verb }, { onSuccess: close })
  const verb = suspendedAt === null ? 'suspend' : 'resume'
  const party = `developer:${id}`
  const ways = [
    { section: 'security-events', filter: { party } },
    { section: 'audit', filter: { subject: party } },
  ] as const

  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
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
      <RowMenu
        label={t('keys.actionsFor', { name })}
        items={[
          ...ways.map(({ section, filter }) => ({
            label: t(`operator.${section}`),
            name: t(`operator.${section}`),
            onChoose: () => navigate(sectionPath(section, filter)),
          })),
          ...(isOneself
            ? []
            : [
                {
                  label: t(`operator.${verb}`),
                  name: t(`operator.${verb}Named`, { name }),
                  onChoose: open,
                },
              ]),
        ]}
      />
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
    </Group>
  )
}
