import { Alert, Button, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { Link, useSearchParams } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useApplications } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { useSession } from '../../api/session.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import { useFacts } from '../../facts.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { tabPath } from '../../tab-path.ts'

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
    <Page
      title="Back from the bank"
      lead={
        <>
          This page stands in for your application. To bring customers back to your own, send its
          address in the header <code>TPP-Redirect-URI</code>.
        </>
      }
    >
      <Outcome outcome={outcome} />
      <Paper withBorder p="lg">
        <Title order={2} size="h3" mb="sm">
          What came back
        </Title>
        {parameters.size === 0 ? (
          <Text>No parameters: your request named this page as its own address.</Text>
        ) : (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Parameter</Table.Th>
                <Table.Th scope="col">Value</Table.Th>
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
          The bank adds the outcome and the id for this page only. It opens an address of your own
          as you sent it, so add your own reference to it. Only for PSU-Confirmation does it add{' '}
          <code>confirmationCode</code> there too.
        </Text>
      </Paper>
      <Stack gap="sm">
        <Title order={2} size="h3">
          What to do next
        </Title>
        <Text>
          If you began on Try it, close this tab and go on there: the ids are filled in. Otherwise,
          with the version of your first request in the path:
        </Text>
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
              Go to your applications
            </Button>
          )}
          <Button component={Link} href={pagePaths.sandbox} variant="default">
            See the sandbox customers
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}

function Outcome({ outcome }: { readonly outcome: string | null }) {
  if (outcome === 'approved') {
    return (
      <Alert color="green" title="Approved">
        The customer signed in at the bank and approved your request.
      </Alert>
    )
  }
  if (outcome === 'refused') {
    return (
      <Alert color="amber" title="Not approved">
        The customer refused, or entered a wrong password or one-time password three times.
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
  return (
    <List spacing={4} type="ordered">
      {hasCode ? (
        <List.Item>
          Confirm the approval: PUT <code>{'{"confirmationCode": "…"}'}</code> with the code above
          to the link <code>confirmation</code> of the first response.
        </List.Item>
      ) : null}
      <List.Item>
        {consentId === null || isRefused ? (
          <>
            Read the status at the link <code>status</code> of the first response.
          </>
        ) : (
          <>
            Call <code>GET {path('getConsentStatus').replace('{consentId}', consentId)}</code> until
            the status is <code>valid</code>.
          </>
        )}{' '}
        The redirect alone proves nothing.
      </List.Item>
      {isPayment && !isRefused ? (
        <List.Item>
          A payment with a <code>requestedExecutionDate</code> keeps the status <code>ACTC</code> or{' '}
          <code>ACWC</code>, approved, until that day. The bank starts other payments within
          seconds, or on the next banking day.
        </List.Item>
      ) : null}
      {isRefused ? <List.Item>Ask again with a new request.</List.Item> : null}
      {consentId === null || isRefused ? null : (
        <List.Item>
          Call <code>GET {path('listAccounts')}</code> with the header{' '}
          <code>Consent-ID: {consentId}</code>.
        </List.Item>
      )}
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
          Try it with&nbsp;<bdi>{name}</bdi>
        </Button>
      ))}
      <Button
        component={Link}
        href={pagePaths.applications}
        variant={items.length === 0 ? 'filled' : 'default'}
      >
        Go to your applications
      </Button>
    </>
  )
}
