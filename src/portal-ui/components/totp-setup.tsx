import { Stack, Text } from '@mantine/core'
import { t } from '../words.ts'
import { CopyLine } from './copy-line.tsx'
import { QrCode } from './qr-code.tsx'

export interface TotpSetupProps {
  /** Base32. */
  readonly secret: string
  /** `otpauth://…` */
  readonly uri: string
}

/** Brings a new secret into an authenticator app: to scan, or to type. */
export function TotpSetup({ secret, uri }: TotpSetupProps) {
  return (
    <Stack gap="sm">
      <Text>{t('factor.scan')}</Text>
      <QrCode text={uri} label={t('factor.qr')} />
      <Text size="sm" c="dimmed">
        {t('factor.cannotScan')}
      </Text>
      <CopyLine text={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} label={t('factor.key')} />
    </Stack>
  )
}
