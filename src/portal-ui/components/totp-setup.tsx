import { Stack, Text } from '@mantine/core'
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
      <Text>
        Scan this code with your authenticator app. Then enter the six digits that the app shows.
      </Text>
      <QrCode text={uri} label="QR code for your authenticator app" />
      <Text size="sm" c="dimmed">
        If you cannot scan it, enter this key in the app:
      </Text>
      <CopyLine text={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} label="key" />
    </Stack>
  )
}
