import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Certificate } from '../../../gateway/portal/schemas/applications.ts'
import { useCertificateRemoval, useCertificates } from '../../api/applications.ts'
import { Confirm } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useFacts } from '../../facts.tsx'
import { AddCertificate } from './add-certificate.tsx'
import classes from './applications.module.css'
import { Fact } from './fact.tsx'
import { MakeTestCertificates } from './test-certificates.tsx'

/** The certificates of an application, a form that adds one, and where there is a sandbox a button that makes two. */
export function Certificates({ applicationId }: { readonly applicationId: string }) {
  const certificates = useCertificates(applicationId)
  const { hasSandbox } = useFacts()
  const [isAdding, setIsAdding] = useState(false)
  const title = useRef<HTMLHeadingElement>(null)
  const items = certificates.data?.items ?? []
  const done = () => {
    setIsAdding(false)
    title.current?.focus()
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Title ref={title} tabIndex={-1} order={3} className={classes['title'] ?? ''}>
          Certificates
        </Title>
        {isAdding ? null : (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            Add certificate
          </Button>
        )}
      </Group>
      <Text maw="46rem">
        Add the certificates that your application connects with (QWAC) and signs requests with
        (QSealC). For each use you can have two valid ones, so that you can switch to a new one
        without a gap.
      </Text>
      {isAdding ? <AddCertificate applicationId={applicationId} onDone={done} /> : null}
      <QueryState query={certificates} label="Loading the certificates …" />
      {certificates.data !== undefined && items.length === 0 && !isAdding ? (
        <EmptyState title="No certificates yet">
          Paste a certificate that a trusted authority issued. Its private key stays with you.
        </EmptyState>
      ) : null}
      {items.length === 0 ? null : (
        <Stack component="ul" gap="sm" className={classes['list'] ?? ''} aria-label="Certificates">
          {items.map((certificate) => (
            <CertificateCard
              key={certificate.id}
              applicationId={applicationId}
              certificate={certificate}
              onRemoved={() => title.current?.focus()}
            />
          ))}
        </Stack>
      )}
      {hasSandbox ? <MakeTestCertificates applicationId={applicationId} /> : null}
    </Stack>
  )
}

const states = {
  active: { word: 'Active', color: 'green' },
  pending: { word: 'Not valid yet', color: 'gray' },
  expired: { word: 'Expired', color: 'gray' },
  blocked: { word: 'Blocked by the operator', color: 'red' },
} as const

const uses = { tls: 'For connections (QWAC)', signing: 'For signing (QSealC)' } as const

interface CertificateCardProps {
  readonly applicationId: string
  readonly certificate: Certificate
  readonly onRemoved: () => void
}

function CertificateCard({ applicationId, certificate, onRemoved }: CertificateCardProps) {
  const [isAsking, setIsAsking] = useState(false)
  const removal = useCertificateRemoval(applicationId, () => {
    setIsAsking(false)
    onRemoved()
  })
  const { id, name, use, state, thumbprint, roles, authorisationNumber, subject, issuer } =
    certificate
  const { word, color } = states[state]
  return (
    <Paper component="li" withBorder p="lg" className={classes['card'] ?? ''}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes['name']}>
          <Group gap="sm">
            <Title order={4} className={classes['name'] ?? ''}>
              <bdi>{name}</bdi>
            </Title>
            <Badge color={color}>{word}</Badge>
          </Group>
          <Text size="sm">{uses[use]}</Text>
        </div>
        <Button size="sm" variant="light" color="red" onClick={() => setIsAsking(true)}>
          Remove
        </Button>
      </Group>
      <dl className={classes['facts']} style={{ marginTop: '0.875rem' }}>
        <Fact name="Valid from" at={certificate.validFrom} />
        <Fact name="Valid until" at={certificate.validUntil} />
        {use === 'tls' ? (
          <Fact name="Last used" at={certificate.lastUsedAt}>
            Not yet
          </Fact>
        ) : null}
        <Fact name="PSD2 roles">{roles.length === 0 ? 'None' : roles.join(', ')}</Fact>
        <Fact name="Authorisation number">{authorisationNumber ?? 'None'}</Fact>
      </dl>
      <details className={classes['details']}>
        <summary>Subject, issuer and thumbprint</summary>
        <Stack gap="xs" mt="xs">
          <Text size="sm">
            Issued to <bdi>{subject}</bdi>
          </Text>
          <Text size="sm">
            Issued by <bdi>{issuer}</bdi>
          </Text>
          <Code>{thumbprint}</Code>
        </Stack>
      </details>
      <Confirm
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Remove this certificate?"
        action="Remove certificate"
        isDangerous
        onConfirm={() => removal.mutate(id)}
        mutation={removal}
      >
        <Text>
          The gateway refuses calls with <bdi>{name}</bdi> within a second.
        </Text>
      </Confirm>
    </Paper>
  )
}
