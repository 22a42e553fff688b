import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Factors } from '../../../gateway/portal/schemas/factors.ts'
import { useFactorRemoval, useFactors, useRecoveryCodes } from '../../api/factors.ts'
import { supportsPasskeys } from '../../api/passkeys.ts'
import { Confirm } from '../../components/confirm.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { RecoveryCodeList } from '../../components/recovery-code-list.tsx'
import { Time } from '../../components/time.tsx'
import { AddApp } from './add-app.tsx'
import { AddPasskey } from './add-passkey.tsx'
import classes from './profile-section.module.css'
import { ProfileSection } from './profile-section.tsx'

type Dialog =
  | { readonly name: 'app' | 'passkey' | 'replace-codes' }
  | { readonly name: 'codes'; readonly codes: readonly string[] }
  | { readonly name: 'remove'; readonly factor: RemovedFactor }

type RemovedFactor = 'totp' | { readonly id: string; readonly name: string }

/** The second factors of the account: an authenticator app, passkeys and recovery codes. */
export function SecondFactorSection() {
  const factors = useFactors()
  return (
    <ProfileSection
      title="Second factor"
      lead={
        factors.data?.isRequired === true
          ? 'You sign in with your password and one of these. You need at least one to use this portal.'
          : 'Optional. With a second factor, a stolen password alone is not enough to sign in.'
      }
    >
      <QueryState query={factors} label="Loading the second factors …" />
      {factors.data === undefined ? null : <FactorList factors={factors.data} />}
    </ProfileSection>
  )
}

function FactorList({ factors }: { readonly factors: Factors }) {
  const { totp, passkeys, recoveryCodesLeft } = factors
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const added = (codes: readonly string[]) =>
    setDialog(codes.length === 0 ? undefined : { name: 'codes', codes })
  const hasFactor = totp !== null || passkeys.length > 0
  return (
    <Stack gap="md" align="flex-start">
      {hasFactor ? (
        <ul className={classes['list']} aria-label="Your second factors">
          {totp === null ? null : (
            <FactorRow
              name="Authenticator app"
              times={totp}
              onRemove={() => setDialog({ name: 'remove', factor: 'totp' })}
            />
          )}
          {passkeys.map((passkey) => (
            <FactorRow
              key={passkey.id}
              name={passkey.name}
              kind="Passkey"
              times={passkey}
              onRemove={() => setDialog({ name: 'remove', factor: passkey })}
            />
          ))}
          <li className={classes['item']}>
            <div>
              <Text fw={550}>Recovery codes</Text>
              <Text size="sm" c={recoveryCodesLeft < 3 ? 'red' : 'dimmed'}>
                {recoveryCodesLeft} left. If you lose your second factor, each signs you in once.
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              onClick={() => setDialog({ name: 'replace-codes' })}
            >
              Replace
            </Button>
          </li>
        </ul>
      ) : null}
      <Group gap="sm">
        {totp === null ? (
          <Button variant="default" onClick={() => setDialog({ name: 'app' })}>
            Add an authenticator app
          </Button>
        ) : null}
        {factors.offersPasskeys && supportsPasskeys() ? (
          <Button variant="default" onClick={() => setDialog({ name: 'passkey' })}>
            Add a passkey
          </Button>
        ) : null}
      </Group>
      <WhyNoPasskeys offersPasskeys={factors.offersPasskeys} />
      <Modal
        opened={dialog?.name === 'app'}
        onClose={close}
        title="Add an authenticator app"
        size="md"
      >
        <AddApp onAdded={added} onCancel={close} />
      </Modal>
      <AddPasskey opened={dialog?.name === 'passkey'} onAdded={added} onCancel={close} />
      <Modal
        opened={dialog?.name === 'codes'}
        onClose={close}
        title="Your recovery codes"
        closeOnClickOutside={false}
      >
        {dialog?.name === 'codes' ? (
          <RecoveryCodeList codes={dialog.codes} action="I have stored them" onDone={close} />
        ) : null}
      </Modal>
      <RemoveFactor
        factor={dialog?.name === 'remove' ? dialog.factor : undefined}
        onClose={close}
      />
      <ReplaceCodes
        opened={dialog?.name === 'replace-codes'}
        onClose={close}
        onReplaced={(codes) => setDialog({ name: 'codes', codes })}
      />
    </Stack>
  )
}

interface FactorRowProps {
  readonly name: string
  readonly kind?: string
  readonly times: { readonly createdAt: string; readonly lastUsedAt: string | null }
  readonly onRemove: () => void
}

function FactorRow({ name, kind, times: { createdAt, lastUsedAt }, onRemove }: FactorRowProps) {
  return (
    <li className={classes['item']}>
      <div>
        <Text fw={550}>
          <bdi>{name}</bdi>
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {kind === undefined ? null : `${kind} · `}added <Time at={createdAt} />
          {lastUsedAt === null ? null : (
            <>
              {' '}
              · last used <Time at={lastUsedAt} />
            </>
          )}
        </Text>
      </div>
      <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </li>
  )
}

function WhyNoPasskeys({ offersPasskeys }: Pick<Factors, 'offersPasskeys'>) {
  if (offersPasskeys && supportsPasskeys()) return null
  return (
    <Text size="sm" c="dimmed">
      {offersPasskeys
        ? 'This browser does not support passkeys.'
        : 'Passkeys are not available, because the address of this portal is an IP address.'}
    </Text>
  )
}

interface RemoveFactorProps {
  /** Undefined: the dialog is closed. */
  readonly factor: RemovedFactor | undefined
  readonly onClose: () => void
}

function RemoveFactor({ factor, onClose }: RemoveFactorProps) {
  const removal = useFactorRemoval()
  const close = () => {
    removal.reset()
    onClose()
  }
  return (
    <Confirm
      opened={factor !== undefined}
      onClose={close}
      title="Remove this second factor?"
      action="Remove"
      isDangerous
      onConfirm={() => {
        if (factor !== undefined) removal.mutate(factor, { onSuccess: close })
      }}
      mutation={removal}
    >
      <Text>
        You can no longer sign in with{' '}
        <bdi>{factor === 'totp' ? 'your authenticator app' : factor?.name}</bdi>. If it is your last
        second factor, your recovery codes stop working, too.
      </Text>
    </Confirm>
  )
}

interface ReplaceCodesProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onReplaced: (codes: readonly string[]) => void
}

function ReplaceCodes({ opened, onClose, onReplaced }: ReplaceCodesProps) {
  const replacement = useRecoveryCodes()
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Replace your recovery codes?"
      action="Replace codes"
      onConfirm={() =>
        replacement.mutate(undefined, {
          onSuccess: ({ recoveryCodes }) => onReplaced(recoveryCodes),
        })
      }
      mutation={replacement}
    >
      <Text>You get ten new codes. The old ones stop working.</Text>
    </Confirm>
  )
}
