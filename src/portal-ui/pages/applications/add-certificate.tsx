import { Group, NativeSelect, Paper, Textarea, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { CertificateInput } from '../../../gateway/portal/schemas/applications.ts'
import { useCertificateAdding } from '../../api/applications.ts'
import { Form, filled } from '../../components/form.tsx'
import classes from './applications.module.css'

export interface AddCertificateProps {
  readonly applicationId: string
  readonly onDone: () => void
}

const uses: readonly { value: CertificateInput['use']; label: string }[] = [
  { value: 'tls', label: 'Connections (QWAC)' },
  { value: 'signing', label: 'Signing requests (QSealC)' },
]

/** The form that adds a certificate: what it is for, a name, and its PEM. */
export function AddCertificate({ applicationId, onDone }: AddCertificateProps) {
  const adding = useCertificateAdding(applicationId, onDone)
  const form = useForm({
    initialValues: { use: 'tls', name: '', certificate: '' },
    validate: { name: filled(), certificate: filled() },
  })
  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Form
        form={form}
        mutation={adding}
        onSubmit={({ use, ...values }) =>
          adding.mutate({ ...values, use: use === 'signing' ? 'signing' : 'tls' })
        }
        action="Add certificate"
        onCancel={onDone}
      >
        <Title order={4}>Add a certificate</Title>
        <Group gap="md" align="flex-start">
          <NativeSelect
            label="Use"
            description="What your application does with it."
            {...form.getInputProps('use')}
            data={[...uses]}
            flex="0 1 16rem"
          />
          <TextInput
            label="Name"
            description="Helps you recognise it later, for example “Winter 2026”."
            {...form.getInputProps('name')}
            maxLength={100}
            autoComplete="off"
            required
            flex="1 1 16rem"
          />
        </Group>
        <Textarea
          label="Certificate"
          description="PEM text, from BEGIN CERTIFICATE to END CERTIFICATE. Never paste the private key."
          {...form.getInputProps('certificate')}
          autosize
          minRows={4}
          maxRows={12}
          autoComplete="off"
          spellCheck={false}
          required
        />
      </Form>
    </Paper>
  )
}
