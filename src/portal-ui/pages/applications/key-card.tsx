import { Badge, Button, Code, Group, Paper, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { Time } from '../../components/time.tsx'
import classes from './applications.module.css'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'

export interface KeyCardProps {
  readonly applicationId: string
  readonly apiKey: Key
  /** All keys of the application, to name the one that replaced this one. */
  readonly all: readonly Key[]
  readonly onIssued: (key: IssuedKey) => void
  readonly onRevoked: (keyId: string) => void
}

const states = {
  active: { word: 'Active', color: 'green' },
  replaced: { word: 'Replaced', color: 'amber' },
  expired: { word: 'Expired', color: 'gray' },
  revoked: { word: 'Revoked', color: 'red' },
} as const

/** One key: what it is called, its hint, its life so far, and what can be done with it. */
export function KeyCard(props: KeyCardProps) {
  const { applicationId, apiKey, all, onIssued, onRevoked } = props
  const [dialog, setDialog] = useState<'rotate' | 'revoke'>()
  const { name, hint, state, createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy } = apiKey
  const { word, color } = states[state]
  const successor = all.find(({ id }) => id === replacedBy)
  const isWorking = state === 'active' || state === 'replaced'
  const close = () => setDialog(undefined)

  return (
    <Paper component="li" withBorder p="lg" className={classes['card'] ?? ''}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes['name']}>
          <Group gap="sm">
            <Title order={3} className={classes['name'] ?? ''}>
              <bdi>{name}</bdi>
            </Title>
            <Badge color={color} variant="light">
              {word}
            </Badge>
          </Group>
          <Code>{hint}</Code>
        </div>
        {isWorking ? (
          <Group gap="xs">
            {state === 'active' ? (
              <Button size="sm" variant="default" onClick={() => setDialog('rotate')}>
                Rotate
              </Button>
            ) : null}
            <Button size="sm" variant="light" color="red" onClick={() => setDialog('revoke')}>
              Revoke
            </Button>
          </Group>
        ) : null}
      </Group>
      {state === 'replaced' && expiresAt !== null ? (
        <Text mt="sm">
          Works until <Time at={expiresAt} />
          {successor === undefined ? null : (
            <>
              ; its successor is <bdi>{successor.name}</bdi> (<Code>{successor.hint}</Code>)
            </>
          )}
          .
        </Text>
      ) : null}
      <dl className={classes['facts']} style={{ marginTop: '0.875rem' }}>
        <Fact name="Created" at={createdAt} />
        <Fact name="Last used" at={lastUsedAt} otherwise="Not yet" />
        {revokedAt === null ? (
          <Fact
            name={state === 'expired' ? 'Expired' : 'Expires'}
            at={expiresAt}
            otherwise="Never"
          />
        ) : (
          <Fact name="Revoked" at={revokedAt} />
        )}
      </dl>
      <RotateKey
        applicationId={applicationId}
        apiKey={apiKey}
        opened={dialog === 'rotate'}
        onClose={close}
        onIssued={onIssued}
      />
      <RevokeKey
        applicationId={applicationId}
        apiKey={apiKey}
        opened={dialog === 'revoke'}
        onClose={close}
        onRevoked={onRevoked}
      />
    </Paper>
  )
}

interface FactProps {
  readonly name: string
  readonly at: string | null
  readonly otherwise?: string
}

function Fact({ name, at, otherwise = '' }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{at === null ? otherwise : <Time at={at} />}</dd>
    </div>
  )
}
