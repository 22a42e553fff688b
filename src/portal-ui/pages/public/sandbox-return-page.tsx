import { Alert, Button, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { Link, useSearchParams } from 'wouter'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useApplications } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { useSession } from '../../api/session.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import { Message } from '../../components/message.tsx'
import { useFacts } from '../../facts.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'

/** The bank's pages lead here if an application names no address of its own. */
export function SandboxReturnPage() {
  const { hasSandbox } = useFacts()
  return hasSandbox ? <Returned /> : <NotFoundPage />
}

function Returned() {
  const [parameters] = useSearchParams()
  const { data: session } = useSession()
  const outcome = parameters.get('outcome')
  return (
    <Page title={t('sandboxReturn.title')} lead={<Message id="sandboxReturn.lead" />}>
      <Outcome outcome={outcome} />
      <Paper withBorder shadow="xs" p="lg">
        <Title order={2} mb="sm">
          {t('sandboxReturn.cameBack')}
        </Title>
        {parameters.size === 0 ? (
          <Text>{t('sandboxReturn.noParameters')}</Text>
        ) : (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t('sandboxReturn.parameter')}</Table.Th>
                <Table.Th scope="col">{t('sandboxReturn.value')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {[...parameters].map(([name, value]) => (
                <Table.Tr key={`${name}=${value}`}>
                  <Table.Th scope="row" fw={500}>
                    <bdi>{name}</bdi>
                  </Table.Th>
                  <Table.Td>
                    <CopyValue value={value} label={name} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Text size="sm" c="dimmed" mt="sm">
          <Message id="sandboxReturn.adds" />
        </Text>
      </Paper>
      <Stack gap="sm">
        <Title order={2}>{t('sandboxReturn.next')}</Title>
        <Text>{t('sandboxReturn.nextLead')}</Text>
        <Next
          isRefused={outcome === 'refused'}
          consentId={parameters.get('consentId')}
          isPayment={parameters.has('paymentId')}
          hasCode={parameters.has('confirmationCode')}
        />
        <Group>
          {session ? (
            <OwnApplications isConsent={parameters.has('consentId')} />
          ) : (
            <Button component={Link} href={pagePaths.applications}>
              {t('sandbox.toApplications')}
            </Button>
          )}
          <Button component={Link} href={pagePaths.sandbox} variant="default">
            {t('sandboxReturn.toSandbox')}
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}

function Outcome({ outcome }: { readonly outcome: string | null }) {
  if (outcome === 'approved') {
    return (
      <Alert color="green" title={t('sandboxReturn.approved.title')}>
        {t('sandboxReturn.approved.text')}
      </Alert>
    )
  }
  if (outcome === 'refused') {
    return (
      <Alert color="amber" title={t('sandboxReturn.refused.title')}>
        {t('sandboxReturn.refused.text')}
      </Alert>
    )
  }
  return null
}

interface NextProps {
  readonly isRefused: boolean
  readonly consentId: string | null
  readonly isPayment: boolean
  readonly hasCode: boolean
}

function Next({ isRefused, consentId, isPayment, hasCode }: NextProps) {
  const path = useNewestPath()
  const code = (text: string) => (
    <code key={text} dir="ltr">
      {text}
    </code>
  )
  const isConsent = consentId !== null && !isRefused
  return (
    <List spacing={4} type="ordered">
      {hasCode ? (
        <List.Item>
          <Message
            id="sandboxReturn.confirm"
            values={{ body: code('{"confirmationCode": "…"}') }}
          />
        </List.Item>
      ) : null}
      <List.Item>
        {isConsent ? (
          <Message
            id="sandboxReturn.pollConsent"
            values={{
              call: code(`GET ${path('getConsentStatus').replace('{consentId}', consentId)}`),
            }}
          />
        ) : (
          <Message id="sandboxReturn.readStatus" />
        )}
      </List.Item>
      {isPayment && !isRefused ? (
        <List.Item>
          <Message id="sandboxReturn.dated" />
        </List.Item>
      ) : null}
      {isRefused ? <List.Item>{t('sandboxReturn.again')}</List.Item> : null}
      {isConsent ? (
        <List.Item>
          <Message
            id="sandboxReturn.readAccounts"
            values={{
              call: code(`GET ${path('listAccounts')}`),
              header: code(`Consent-ID: ${consentId}`),
            }}
          />
        </List.Item>
      ) : null}
    </List>
  )
}

/** Finds the path of an operation in the newest version that has it; without one, its id. */
function useNewestPath(): (operation: string) => string {
  const { data } = useApis()
  const newestFirst = data?.items.flatMap(({ versions }) => versions.toReversed()) ?? []
  const operations = newestFirst.flatMap((version) => version.operations)
  return (operation) => operations.find(({ id }) => id === operation)?.path ?? operation
}

/** Maximum number of applications shown. */
const shownMax = 3

/** Links to Try it of the developer's applications. */
function OwnApplications({ isConsent }: { readonly isConsent: boolean }) {
  const { data } = useApplications()
  const query = isConsent ? '?operation=getConsentStatus' : ''
  const items = data?.items.slice(0, shownMax) ?? []
  return (
    <>
      {items.map(({ id, name }) => (
        <Button key={id} component={Link} href={`${tabPath(id, 'playground')}${query}`}>
          {t('sandboxReturn.tryWith', { name })}
        </Button>
      ))}
      <Button
        component={Link}
        href={pagePaths.applications}
        variant={items.length === 0 ? 'filled' : 'default'}
      >
        {t('sandbox.toApplications')}
      </Button>
    </>
  )
}
