import { List, Paper, Text, Title } from '@mantine/core'
import classes from './applications.module.css'

/** The steps to the first call, for a developer without an application. */
export function FirstSteps() {
  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Title order={2} size="h3" mb="sm">
        From here to your first call
      </Title>
      <List type="ordered" spacing="sm">
        <List.Item>
          <Text fw={600}>Create an application</Text>
          <Text c="dimmed">It represents your program. Give it a name you will recognise.</Text>
        </List.Item>
        <List.Item>
          <Text fw={600}>Subscribe it to an API version</Text>
          <Text c="dimmed">The plan sets how many calls you can make to each operation.</Text>
        </List.Item>
        <List.Item>
          <Text fw={600}>Create a key and call</Text>
          <Text c="dimmed">
            You get the key once, with a command to paste, and see the call arrive here.
          </Text>
        </List.Item>
      </List>
    </Paper>
  )
}
