import { Group, NativeSelect, Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { CertificateInput } from '../../../../portal/api/schemas/applications.ts'
import { useCertificateAdding } from '../../../api/applications.ts'
import { Form, filled } from '../../../components/form.tsx'
import { t } from '../../../words.ts'

export interface AddCertificateProps {
  readonly applicationId: string
  readonly onDone: () => void
}

const uses = [
  { value: 'tls', label: 'certificates.useConnections' },
  { value: 'signing', label: 'certificates.useSigning' },
] as const satisfies readonly { value: CertificateInput['use']; label: string }[]

/** The form that adds a certificate: what it is for, a name, and its PEM. */
export function AddCertificate({ applicationId, onDone }: AddCertificateProps) {
  const adding = useCertificateAdding(applicationId, onDone)
  const form = useForm({
    initialValues: { use: 'tls', name: '', certificate: '' },
    validate: { name: filled(), certificate: filled() },
  })
  return (
    <Stack>
      <Form
        form={form}
        mutation={adding}
        label={t('certificates.addTitle')}
        onSubmit={({ use, ...values }) =>
          adding.mutate({ ...values, use: use === 'signing' ? 'signing' : 'tls' })
        }
        action={t('certificates.add')}
        onCancel={onDone}
      >
        <Title order={3}>{t('certificates.addTitle')}</Title>
        <Group gap="md" align="flex-start">
          <NativeSelect
            label={t('certificates.use')}
            description={t('certificates.useHelp')}
            {...form.getInputProps('use')}
            data={uses.map(({ value, label }) => ({ value, label: t(label) }))}
            flex="0 1 16rem"
          />
          <TextInput
            label={t('field.name')}
            description={t('certificates.nameHelp')}
            {...form.getInputProps('name')}
            maxLength={100}
            autoComplete="off"
            required
            flex="1 1 16rem"
          />
        </Group>
        <Textarea
          label={t('certificates.certificate')}
          description={t('certificates.pemHelp')}
          dir="ltr"
          {...form.getInputProps('certificate')}
          autosize
          minRows={4}
          maxRows={12}
          autoComplete="off"
          spellCheck={false}
          required
        />
      </Form>
    </Stack>
  )
}
