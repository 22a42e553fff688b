import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplications } from '../../api/applications.ts'
import { useDeveloper } from '../../api/session.ts'
import { QueryState } from '../../components/query-state.tsx'
import { Time } from '../../components/time.tsx'
import { Page } from '../../layout/page.tsx'
import { tabPath } from '../../tab-path.ts'
import classes from './applications.module.css'
import { CreateApplication } from './create-application.tsx'
import { FirstSteps } from './first-steps.tsx'

/** The developer's applications, and the form that creates one. */
export function ApplicationsPage() {
  const developer = useDeveloper()
  const applications = useApplications()
  const [isCreating, setIsCreating] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const [, navigate] = useLocation()
  const items = applications.data?.items ?? []
  const isEmpty = applications.data !== undefined && items.length === 0

  const cancel = () => {
    setIsCreating(false)
    requestAnimationFrame(() => trigger.current?.focus())
  }

  return (
    <Page
      title="Applications"
      lead={
        isEmpty ? (
          <>
            Signed in as <bdi>{developer.email}</bdi>.
          </>
        ) : (
          'An application has its own keys, subscriptions and limits. Create one for each program that calls the gateway.'
        )
      }
      actions={
        items.length === 0 ? null : (
          <Button ref={trigger} onClick={() => setIsCreating(true)} disabled={isCreating}>
            Create application
          </Button>
        )
      }
    >
      {isCreating || isEmpty ? (
        <CreateApplication
          isFirst={isEmpty}
          onCreated={({ id }) => navigate(tabPath(id, 'subscriptions'))}
          {...(isEmpty ? {} : { onCancel: cancel })}
        />
      ) : null}
      <QueryState query={applications} label="Loading your applications …" />
      {isEmpty ? <FirstSteps /> : null}
      {items.length === 0 ? null : (
        <Stack
          component="ul"
          gap="sm"
          className={classes['list'] ?? ''}
          aria-label="Your applications"
        >
          {items.map((application) => (
            <ApplicationCard key={application.id} application={application} />
          ))}
        </Stack>
      )}
    </Page>
  )
}

function ApplicationCard({ application }: { readonly application: Application }) {
  const { id, name, createdAt, suspendedAt } = application
  return (
    <Paper component="li" withBorder p="lg" className={classes['card'] ?? ''}>
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h3" className={classes['name'] ?? ''}>
          <Anchor
            component={Link}
            href={tabPath(id, 'keys')}
            className={classes['cardLink'] ?? ''}
            inherit
          >
            <bdi>{name}</bdi>
          </Anchor>
        </Title>
        <Badge color={suspendedAt === null ? 'green' : 'red'}>
          {suspendedAt === null ? 'Active' : 'Suspended'}
        </Badge>
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        Created <Time at={createdAt} />
        {suspendedAt === null ? null : (
          <>
            {' '}
            · suspended <Time at={suspendedAt} />
          </>
        )}
      </Text>
    </Paper>
  )
}
