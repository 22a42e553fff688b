import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { MessageId } from '../../../messages/format.ts'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { useApplicationUpdate } from '../../api/applications.ts'
import { entriesOf } from '../../components/entries.ts'
import { EntriesArea } from '../../components/entries-area.tsx'
import { Form } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { t } from '../../words.ts'

/** Chooses the origins to which the bank may send customers back after an approval. */
export function RedirectOrigins({ application }: { readonly application: Application }) {
  const { id, strict, redirectOrigins } = application
  const form = useForm({ initialValues: { redirectOrigins: redirectOrigins.join('\n') } })
  const update = useApplicationUpdate(id, (saved) =>
    form.setValues({ redirectOrigins: saved.redirectOrigins.join('\n') }),
  )
  return (
    <SectionCard
      title={t('redirects.title')}
      lead={
        <>
          <Message id="redirects.lead" /> {t(inForce(strict, redirectOrigins.length))}
        </>
      }
    >
      <Form
        form={form}
        mutation={update}
        label={t('redirects.title')}
        onSubmit={(values) => update.mutate({ redirectOrigins: entriesOf(values.redirectOrigins) })}
        action={t('redirects.save')}
        isDisabled={form.values.redirectOrigins === redirectOrigins.join('\n')}
        beside={
          <Text size="sm" role="status" c="green">
            {update.isSuccess ? t('redirects.saved') : ''}
          </Text>
        }
      >
        <EntriesArea
          label={t('redirects.origins')}
          description={t('redirects.help')}
          {...form.getInputProps('redirectOrigins')}
          minRows={2}
          maxRows={10}
          maw="46rem"
        />
      </Form>
    </SectionCard>
  )
}

function inForce(isStrict: boolean, origins: number): MessageId {
  if (origins > 0) return 'redirects.onlyListed'
  return isStrict ? 'redirects.noneYet' : 'redirects.everyHttps'
}
