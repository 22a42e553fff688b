import { Paper, Text, Title } from '@mantine/core'
import type { PublishedPlan } from '../../../portal/api/schemas/catalogue.ts'
import { DocumentText } from '../../components/document-text.tsx'
import { limitInWords } from '../../in-words.ts'
import classes from '../../reference/reference.module.css'
import { t } from '../../words.ts'

/** The plans of a version with their limits in words. */
export function PlanList({ plans }: { readonly plans: readonly PublishedPlan[] }) {
  if (plans.length === 0) return <Text c="dimmed">{t('plans.none')}</Text>
  return (
    <>
      <Text maw="44rem">{t('plans.howCounted')}</Text>
      <ul className={classes['plans']}>
        {plans.map(({ name, title, description, limits }) => (
          <li key={name}>
            <Paper withBorder shadow="xs" component="article" className={classes['plan'] ?? ''}>
              <Title order={2}>
                <bdi>{title}</bdi>
              </Title>
              {description === '' ? null : (
                <Text c="dimmed">
                  <DocumentText text={description} />
                </Text>
              )}
              {limits.map((limit) => (
                <Text key={limit.name} fw={550}>
                  {limitInWords(limit)}
                </Text>
              ))}
            </Paper>
          </li>
        ))}
      </ul>
    </>
  )
}
