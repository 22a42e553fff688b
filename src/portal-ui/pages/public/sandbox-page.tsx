import { Anchor, Button, Paper, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import type { Sandbox } from '../../../gateway/portal/schemas/sandbox.ts'
import { useSandbox } from '../../api/sandbox.ts'
import { useSession } from '../../api/session.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useFacts } from '../../facts.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { useFocusedFragment } from '../../layout/use-focused-fragment.ts'
import { CustomerCard } from './customer-card.tsx'
import classes from './sandbox.module.css'
import { WaysIntoStates } from './ways-into-states.tsx'

/** The sandbox customers, their secrets and how to reach every state. */
export function SandboxPage() {
  const { hasSandbox } = useFacts()
  return hasSandbox ? <Offered /> : <NotFoundPage />
}

function Offered() {
  const sandbox = useSandbox()
  const { data: session } = useSession()
  const isSignedIn = session?.developer !== undefined
  return (
    <Page
      title="Sandbox"
      lead={
        <>
          Fictional bank customers for your tests. No real money and no real people: you cannot
          break anything here.{' '}
          <Anchor href="#states" underline="always">
            How to reach every state
          </Anchor>
        </>
      }
      actions={
        <Button component={Link} href={isSignedIn ? pagePaths.applications : pagePaths.signUp}>
          {isSignedIn ? 'Go to your applications' : 'Sign up to make calls'}
        </Button>
      }
    >
      <QueryState query={sandbox} label="Loading the sandbox …" />
      {sandbox.data === undefined ? null : <Content sandbox={sandbox.data} />}
    </Page>
  )
}

function Content({ sandbox: { secrets, customers, ways } }: { readonly sandbox: Sandbox }) {
  useFocusedFragment()
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = customers.filter(({ psuId, alias, name, behaves, accounts }) =>
    [psuId, alias, name, behaves, ...accounts.map(({ iban }) => iban)].some((text) =>
      text.toLowerCase().includes(wanted.replaceAll(/\s/g, ' ')),
    ),
  )
  return (
    <>
      <dl className={classes['secrets']}>
        <Secret term="Password of every customer" value={secrets.password} />
        <Secret term="One-time password of every customer" value={secrets.oneTimePassword} />
        <Secret
          term="Return page, sent as TPP-Redirect-URI"
          value={`${window.location.origin}${pagePaths.sandboxReturn}`}
        />
      </dl>
      <section aria-labelledby="customers" className={classes['section']}>
        <div className={classes['head']}>
          <div>
            <Title order={2} id="customers">
              People
            </Title>
            <Text c="dimmed">
              Send an id or alias as <code>PSU-ID</code>, or sign in with it on the bank’s page.
            </Text>
          </div>
          <TextInput
            label="Find a customer"
            placeholder="Name, alias, IBAN or behaviour"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            className={classes['search'] ?? ''}
          />
        </div>
        <div role="status">{found.length === 0 ? <Text>No customer matches.</Text> : null}</div>
        <ul className={classes['customers']}>
          {found.map((customer) => (
            <li key={customer.psuId}>
              <CustomerCard customer={customer} />
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="states" className={classes['section']}>
        <div>
          <Title order={2} id="states">
            How to reach every state
          </Title>
          <Text c="dimmed">
            The quickest approval: send <code>TPP-Decoupled-Preferred: true</code> and a{' '}
            <code>PSU-ID</code>. The customer answers after two seconds.
          </Text>
        </div>
        <WaysIntoStates ways={ways} />
      </section>
    </>
  )
}

function Secret({ term, value }: { readonly term: string; readonly value: string }) {
  return (
    <Paper withBorder className={classes['secret'] ?? ''}>
      <dt>{term}</dt>
      <dd>
        <CopyValue value={value} label={term.toLowerCase()} />
      </dd>
    </Paper>
  )
}
