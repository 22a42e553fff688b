import { Group, Progress, Text } from '@mantine/core'
import { t } from '../words.ts'

/** Same as in `NewPassword` of the JSON API. */
const charactersMin = 15

/** Description of a field for a new password. */
export function newPasswordRules(): string {
  return t('password.rules', { min: charactersMin })
}

/** Shows how long a new password is: `9 of 15 characters`. Not for a refused password. */
export function PasswordLength({ password }: { readonly password: string }) {
  // Counts code points, as the server does.
  const length = [...password].length
  const isEnough = length >= charactersMin
  return (
    <Group gap="sm" mt={-8} wrap="nowrap">
      <Progress
        value={Math.min(100, (length / charactersMin) * 100)}
        color={isEnough ? 'green' : 'tide'}
        size="sm"
        flex={1}
        aria-hidden="true"
      />
      <Text size="sm" c="dimmed">
        {t(isEnough ? 'password.longEnough' : 'password.length', { length, min: charactersMin })}
      </Text>
    </Group>
  )
}
