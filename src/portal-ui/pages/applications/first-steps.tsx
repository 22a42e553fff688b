import { List, Paper, Text, Title } from '@mantine/core'
import { t } from '../../words.ts'
import classes from './applications.module.css'

const steps = ['create', 'subscribe', 'call'] as const

/** The steps to the first call, for a developer without an application. */
export function FirstSteps() {
  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Title order={2} mb="sm">
        {t('firstSteps.title')}
      </Title>
      <List type="ordered" spacing="sm">
        {steps.map((step) => (
          <List.Item key={step}>
            <Text fw={600}>{t(`firstSteps.${step}`)}</Text>
            <Text c="dimmed">{t(`firstSteps.${step}Why`)}</Text>
          </List.Item>
        ))}
      </List>
    </Paper>
  )
}
