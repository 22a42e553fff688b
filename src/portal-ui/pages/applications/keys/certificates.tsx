import { Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import type { MessageId } from '../../../../messages/format.ts'
import type { Certificate } from '../../../../portal/api/schemas/applications.ts'
import { useCertificateRemoval, useCertificates } from '../../../api/applications.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { Message } from '../../../components/message.tsx'
import { Pill } from '../../../components/pill.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { useFacts } from '../../../facts.tsx'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'
import { Fact } from '../calls/fact.tsx'
import { AddCertificate } from './add-certificate.tsx'
import { MakeTestCertificates } from './test-certificates.tsx'

/** Lists the certificates of an application, with a form to add one and, in a sandbox, a button to create test ones. */
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
    <SectionCard
      title={t('certificates.title')}
      titleRef={title}
      lead={t('certificates.lead')}
      action={
        isAdding ? undefined : (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            {t('certificates.add')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        {isAdding ? <AddCertificate applicationId={applicationId} onDone={done} /> : null}
        <QueryState query={certificates} label={t('certificates.loading')} />
        {certificates.data !== undefined && items.length === 0 && !isAdding ? (
          <div>
            <Text fw={550}>{t('certificates.noneYet')}</Text>
            <Text size="sm" c="dimmed">
              {t('certificates.noneYetMeans')}
            </Text>
          </div>
        ) : null}
        {items.length === 0 ? null : (
          <Stack
            component="ul"
            gap="sm"
            className={classes['list'] ?? ''}
            aria-label={t('certificates.title')}
          >
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
    </SectionCard>
  )
}

const states = {
  active: { word: 'certificates.active', tone: 'ok' },
  pending: { word: 'certificates.pending', tone: 'neutral' },
  expired: { word: 'certificates.expired', tone: 'neutral' },
  blocked: { word: 'certificates.blocked', tone: 'bad' },
} as const

const uses = {
  tls: 'certificates.forConnections',
  signing: 'certificates.forSigning',
} as const satisfies Record<string, MessageId>

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
  const { word, tone } = states[state]
  return (
    <Paper component="li" withBorder p="md" className={classes['card'] ?? ''}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes['name']}>
          <Group gap="sm">
            <Title order={3} className={classes['name'] ?? ''}>
              <bdi>{name}</bdi>
            </Title>
            <Pill tone={tone}>{t(word)}</Pill>
          </Group>
          <Text size="sm">{t(uses[use])}</Text>
        </div>
        <Button
          size="xs"
          variant="default"
          aria-label={t('certificates.removeNamed', { name })}
          onClick={() => setIsAsking(true)}
        >
          {t('certificates.remove')}
        </Button>
      </Group>
      <dl className={classes['facts']} style={{ marginTop: '0.875rem' }}>
        <Fact name={t('certificates.validFrom')} at={certificate.validFrom} />
        <Fact name={t('certificates.validUntil')} at={certificate.validUntil} />
        {use === 'tls' ? (
          <Fact name={t('keys.lastUsed')} at={certificate.lastUsedAt}>
            {t('common.notYet')}
          </Fact>
        ) : null}
        <Fact name={t('certificates.roles')}>
          {roles.length === 0 ? t('common.none') : <bdi>{roles.join(', ')}</bdi>}
        </Fact>
        <Fact name={t('certificates.number')}>
          {authorisationNumber === null ? t('common.none') : <bdi>{authorisationNumber}</bdi>}
        </Fact>
      </dl>
      <details className={classes['details']}>
        <summary>{t('certificates.details')}</summary>
        <Stack gap="xs" mt="xs">
          <Text size="sm">
            <Message id="certificates.issuedTo" values={{ name: <bdi>{subject}</bdi> }} />
          </Text>
          <Text size="sm">
            <Message id="certificates.issuedBy" values={{ name: <bdi>{issuer}</bdi> }} />
          </Text>
          <Code dir="ltr">{thumbprint}</Code>
        </Stack>
      </details>
      <Confirm
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('certificates.removeTitle')}
        action={t('certificates.removeConfirm')}
        isDangerous
        onConfirm={() => removal.mutate(id)}
        mutation={removal}
      >
        <Text>
          <Message id="certificates.removeMeans" values={{ name: <bdi>{name}</bdi> }} />
        </Text>
      </Confirm>
    </Paper>
  )
}
