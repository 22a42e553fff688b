import { Alert, Anchor, Button, Group, List, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import type {
  TestCertificates,
  TestCertificatesInput,
} from '../../../../portal/api/schemas/sandbox.ts'
import { useTestCertificates } from '../../../api/sandbox.ts'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'

type Defect = NonNullable<TestCertificatesInput['defect']>

const kinds = [
  { value: 'none', label: 'testCertificates.valid' },
  { value: 'expired', label: 'testCertificates.expired' },
  { value: 'revoked', label: 'testCertificates.revoked' },
  { value: 'wrong-role', label: 'testCertificates.wrongRole' },
] as const satisfies readonly { value: Defect | 'none'; label: string }[]

/** Makes a pair of test certificates and offers its files, once. */
export function MakeTestCertificates({ applicationId }: { readonly applicationId: string }) {
  const [made, setMade] = useState<TestCertificates>()
  const [kind, setKind] = useState<Defect | 'none'>('none')
  const making = useTestCertificates(applicationId, setMade)
  return (
    <Stack gap="sm" className={classes['part'] ?? ''}>
      <div>
        <Title order={3}>{t('testCertificates.title')}</Title>
        <Text size="sm" c="dimmed" maw="46rem">
          {t('testCertificates.lead')}
        </Text>
      </div>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label={t('testCertificates.kind')}
          data={kinds.map(({ value, label }) => ({ value, label: t(label) }))}
          value={kind}
          onChange={(event) => {
            const { value } = event.currentTarget
            setKind(kinds.find((each) => each.value === value)?.value ?? 'none')
          }}
          flex="0 1 20rem"
        />
        <Button
          variant="default"
          loading={making.isPending}
          onClick={() =>
            making.mutate({
              roles: ['PSP_PI', 'PSP_AI'],
              ...(kind === 'none' ? {} : { defect: kind }),
            })
          }
        >
          {t('testCertificates.create')}
        </Button>
      </Group>
      <ProblemAlert error={making.error} />
      {made === undefined ? null : <Files made={made} />}
    </Stack>
  )
}

function Files({ made }: { readonly made: TestCertificates }) {
  const files = {
    'qwac.pem': made.qwac.certificate,
    'qwac.key': made.qwac.privateKey,
    'qseal.pem': made.qseal.certificate,
    'qseal.key': made.qseal.privateKey,
    'authority.pem': made.authority,
  }
  return (
    <Alert color="green" title={t('testCertificates.save')} role="status">
      <Text size="sm">
        {t(made.isAdded ? 'testCertificates.added' : 'testCertificates.notAdded')}
      </Text>
      <List mt="xs">
        {Object.entries(files).map(([name, text]) => (
          <List.Item key={name}>
            <Download name={name} text={text} />
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** A link that saves a text as a file. */
function Download({ name, text }: { readonly name: string; readonly text: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'application/x-pem-file' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return (
    <Anchor href={url} download={name} className={classes['file'] ?? ''}>
      {name}
    </Anchor>
  )
}
