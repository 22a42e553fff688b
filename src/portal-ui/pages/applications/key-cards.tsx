import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { Time } from '../../components/time.tsx'
import { AllowedAddresses } from './allowed-addresses.tsx'
import classes from './applications.module.css'
import { Fact } from './fact.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'

export interface KeyCardsProps extends Omit<KeyCardProps, 'apiKey'> {
  /** Name of the list for screen readers. */
  readonly label: string
  readonly keys: readonly Key[]
}

/** A list of keys, a card each. */
export function KeyCards({ label, keys, ...card }: KeyCardsProps) {
  return (
    <Stack component="ul" gap="sm" className={classes['list'] ?? ''} aria-label={label}>
      {keys.map((key) => (
        <KeyCard key={key.id} apiKey={key} {...card} />
      ))}
    </Stack>
  )
}

interface KeyCardProps {
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
function KeyCard(props: KeyCardProps) {
  const { applicationId, apiKey, all, onIssued, onRevoked } = props
  const [dialog, setDialog] = useState<'addresses' | 'rotate' | 'revoke'>()
  const { name, hint, state, createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy } = apiKey
  const { allowedAddresses } = apiKey
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
            <Badge color={color}>{word}</Badge>
          </Group>
          <Code>{hint}</Code>
        </div>
        {isWorking ? (
          <Group gap="xs">
            <Button size="sm" variant="default" onClick={() => setDialog('addresses')}>
              Addresses
            </Button>
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
        <Fact name="Last used" at={lastUsedAt}>
          Not yet
        </Fact>
        {revokedAt === null ? (
          <Fact name={state === 'expired' ? 'Expired' : 'Expires'} at={expiresAt}>
            Never
          </Fact>
        ) : (
          <Fact name="Revoked" at={revokedAt} />
        )}
        <Fact name="Allowed from">
          {allowedAddresses.length === 0 ? 'Everywhere' : <bdi>{allowedAddresses.join(', ')}</bdi>}
        </Fact>
      </dl>
      <AllowedAddresses
        applicationId={applicationId}
        apiKey={apiKey}
        opened={dialog === 'addresses'}
        onClose={close}
      />
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
