import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Factors } from '../../../portal/api/schemas/factors.ts'
import { useFactorRemoval, useFactors, useRecoveryCodes } from '../../api/factors.ts'
import { supportsPasskeys } from '../../api/passkeys.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { RecoveryCodeList } from '../../components/recovery-code-list.tsx'
import { Time } from '../../components/time.tsx'
import { t } from '../../words.ts'
import { AddApp } from './add-app.tsx'
import { AddPasskey } from './add-passkey.tsx'
import classes from './profile-section.module.css'
import { ProfileSection } from './profile-section.tsx'

type OpenDialog =
  | { readonly name: 'app' | 'passkey' | 'replace-codes' }
  | { readonly name: 'codes'; readonly codes: readonly string[] }
  | { readonly name: 'remove'; readonly factor: RemovedFactor }

type RemovedFactor = 'totp' | { readonly id: string; readonly name: string }

/** The second factors of the account: an authenticator app, passkeys and recovery codes. */
export function SecondFactorSection() {
  const factors = useFactors()
  return (
    <ProfileSection
      title={t('factors.title')}
      lead={t(factors.data?.isRequired === true ? 'factors.required' : 'factors.optional')}
    >
      <QueryState query={factors} label={t('factors.loading')} />
      {factors.data === undefined ? null : <FactorList factors={factors.data} />}
    </ProfileSection>
  )
}

function FactorList({ factors }: { readonly factors: Factors }) {
  const { totp, passkeys, recoveryCodesLeft } = factors
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const added = (codes: readonly string[]) =>
    setDialog(codes.length === 0 ? undefined : { name: 'codes', codes })
  const hasFactor = totp !== null || passkeys.length > 0
  return (
    <Stack gap="md" align="flex-start">
      {hasFactor ? (
        <ul className={classes['list']} aria-label={t('factors.yours')}>
          {totp === null ? null : (
            <FactorRow
              name={t('factors.app')}
              times={totp}
              onRemove={() => setDialog({ name: 'remove', factor: 'totp' })}
            />
          )}
          {passkeys.map((passkey) => (
            <FactorRow
              key={passkey.id}
              name={passkey.name}
              kind={t('factors.passkey')}
              times={passkey}
              onRemove={() => setDialog({ name: 'remove', factor: passkey })}
            />
          ))}
          <li className={classes['item']}>
            <div>
              <Text fw={550}>{t('factors.codes')}</Text>
              <Text size="sm" c={recoveryCodesLeft < 3 ? 'red' : 'dimmed'}>
                {t('factors.codesLeft', { left: recoveryCodesLeft })}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              onClick={() => setDialog({ name: 'replace-codes' })}
            >
              {t('factors.replace')}
            </Button>
          </li>
        </ul>
      ) : null}
      <Group gap="sm">
        {totp === null ? (
          <Button variant="default" onClick={() => setDialog({ name: 'app' })}>
            {t('factors.addApp')}
          </Button>
        ) : null}
        {factors.offersPasskeys && supportsPasskeys() ? (
          <Button variant="default" onClick={() => setDialog({ name: 'passkey' })}>
            {t('factors.addPasskey')}
          </Button>
        ) : null}
      </Group>
      <WhyNoPasskeys offersPasskeys={factors.offersPasskeys} />
      <Modal opened={dialog?.name === 'app'} onClose={close} title={t('factors.addApp')} size="md">
        <AddApp onAdded={added} onCancel={close} />
      </Modal>
      <AddPasskey opened={dialog?.name === 'passkey'} onAdded={added} onCancel={close} />
      <Modal
        opened={dialog?.name === 'codes'}
        onClose={close}
        title={t('factors.yourCodes')}
        closeOnClickOutside={false}
      >
        {dialog?.name === 'codes' ? (
          <RecoveryCodeList codes={dialog.codes} action={t('factors.stored')} onDone={close} />
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
          {kind === undefined ? null : `${kind} · `}
          <Message id="factors.added" values={{ time: <Time at={createdAt} /> }} />
          {lastUsedAt === null ? null : (
            <>
              {' · '}
              <Message id="factors.lastUsed" values={{ time: <Time at={lastUsedAt} /> }} />
            </>
          )}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        onClick={onRemove}
        aria-label={t('factors.removeNamed', { name })}
      >
        {t('factors.remove')}
      </Button>
    </li>
  )
}

function WhyNoPasskeys({ offersPasskeys }: Pick<Factors, 'offersPasskeys'>) {
  if (offersPasskeys && supportsPasskeys()) return null
  return (
    <Text size="sm" c="dimmed">
      {t(offersPasskeys ? 'factors.notInBrowser' : 'factors.notOnAddress')}
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
      title={t('factors.removeTitle')}
      action={t('factors.remove')}
      isDangerous
      onConfirm={() => {
        if (factor !== undefined) removal.mutate(factor, { onSuccess: close })
      }}
      mutation={removal}
    >
      <Text>
        {factor === 'totp' ? (
          t('factors.removeApp')
        ) : (
          <Message id="factors.removePasskey" values={{ name: <bdi>{factor?.name}</bdi> }} />
        )}
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
      title={t('factors.replaceTitle')}
      action={t('factors.replaceCodes')}
      onConfirm={() =>
        replacement.mutate(undefined, {
          onSuccess: ({ recoveryCodes }) => onReplaced(recoveryCodes),
        })
      }
      mutation={replacement}
    >
      <Text>{t('factors.replaceMeans')}</Text>
    </Confirm>
  )
}
