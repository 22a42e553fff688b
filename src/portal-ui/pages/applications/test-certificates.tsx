import {
  Alert,
  Anchor,
  Button,
  Group,
  List,
  NativeSelect,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useEffect, useState } from 'react'
import type {
  TestCertificates,
  TestCertificatesInput,
} from '../../../gateway/portal/schemas/sandbox.ts'
import { useTestCertificates } from '../../api/sandbox.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import classes from './applications.module.css'

type Defect = NonNullable<TestCertificatesInput['defect']>

const kinds: readonly { value: Defect | 'none'; label: string }[] = [
  { value: 'none', label: 'Valid for 90 days' },
  { value: 'expired', label: 'Expired, to see the error' },
  { value: 'revoked', label: 'Revoked, to see the error' },
  { value: 'wrong-role', label: 'Without the required role, to see the error' },
]

/** Makes a pair of test certificates and offers its files, once. */
export function MakeTestCertificates({ applicationId }: { readonly applicationId: string }) {
  const [made, setMade] = useState<TestCertificates>()
  const [kind, setKind] = useState<Defect | 'none'>('none')
  const making = useTestCertificates(applicationId, setMade)
  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Stack gap="sm">
        <Title order={4}>Test certificates</Title>
        <Text maw="46rem">
          The sandbox issues a QWAC and a QSealC with the roles for accounts and payments. The
          portal adds valid ones to this application, and does not keep their private keys.
        </Text>
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label="Kind"
            data={[...kinds]}
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
            Create test certificates
          </Button>
        </Group>
        <ProblemAlert error={making.error} />
        {made === undefined ? null : <Files made={made} />}
      </Stack>
    </Paper>
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
    <Alert color="green" title="Save these files now" role="status">
      <Text size="sm">
        {made.isAdded
          ? 'Both certificates are added to this application. This page shows the keys only once.'
          : 'Calls with these certificates fail, so they are not added to this application.'}
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
