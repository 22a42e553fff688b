import { Group, Progress, Text } from '@mantine/core'

/** Same as in `NewPassword` of the JSON API. */
const charactersMin = 15

/** Description of a field for a new password. */
export const newPasswordRules = `At least ${charactersMin} characters; four or more words work well. Avoid your name, repeated characters and keyboard patterns.`

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
        {isEnough
          ? `${length} characters, long enough`
          : `${length} of ${charactersMin} characters`}
      </Text>
    </Group>
  )
}
