import { Button, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Sandbox, SandboxCustomer } from '../../../portal/api/schemas/sandbox.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useSandbox } from '../../api/sandbox.ts'
import { useSession } from '../../api/session.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import { Message } from '../../components/message.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { plainLink } from '../../components/text-link.tsx'
import { useFacts } from '../../facts.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { useFocusedFragment } from '../../layout/use-focused-fragment.ts'
import { t } from '../../words.ts'
import { CustomerTable } from './customer-table.tsx'
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
      title={t('sandbox.title')}
      lead={<Message id="sandbox.lead" tags={{ link: plainLink('#states') }} />}
      actions={
        <Button
          component={Link}
          href={isSignedIn ? pagePaths.applications : pagePaths.signUp}
          {...(isSignedIn ? {} : { variant: 'default' })}
        >
          {isSignedIn ? t('sandbox.toApplications') : t('sandbox.signUp')}
        </Button>
      }
    >
      <QueryState query={sandbox} label={t('sandbox.loading')} />
      {sandbox.data === undefined ? null : <Content sandbox={sandbox.data} />}
    </Page>
  )
}

function Content({ sandbox: { secrets, customers, ways } }: { readonly sandbox: Sandbox }) {
  useFocusedFragment()
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = customers.filter((customer) =>
    textsOf(customer).some((text) => text.toLowerCase().includes(wanted.replaceAll(/\s/g, ' '))),
  )
  return (
    <>
      <dl className={classes['secrets']}>
        <Secret term={t('sandbox.password')} value={secrets.password} />
        <Secret term={t('sandbox.oneTimePassword')} value={secrets.oneTimePassword} />
        <Secret
          term={t('sandbox.returnPage')}
          value={`${window.location.origin}${pagePaths.sandboxReturn}`}
        />
      </dl>
      <section aria-labelledby="customers" className={classes['section']}>
        <div className={classes['head']}>
          <div>
            <Title order={2} id="customers">
              {t('sandbox.people')}
            </Title>
            <Text c="dimmed">
              <Message id="sandbox.peopleLead" />
            </Text>
          </div>
          <TextInput
            label={t('sandbox.find')}
            placeholder={t('sandbox.findBy')}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            className={classes['search'] ?? ''}
          />
        </div>
        <div role="status">{found.length === 0 ? <Text>{t('sandbox.noneFound')}</Text> : null}</div>
        {found.length === 0 ? null : <CustomerTable customers={found} />}
      </section>
      <section aria-labelledby="states" className={classes['section']}>
        <div>
          <Title order={2} id="states">
            {t('sandbox.states')}
          </Title>
          <Text c="dimmed">
            <Message id="sandbox.quickest" />
          </Text>
        </div>
        <WaysIntoStates ways={ways} />
      </section>
    </>
  )
}

/** What a search looks at, in both languages. */
function textsOf(customer: SandboxCustomer): readonly string[] {
  const { psuId, alias, name, nameInHebrew, behaves, behavesInHebrew, accounts } = customer
  const ibans = accounts.map(({ iban }) => iban)
  return [psuId, alias, name, nameInHebrew, behaves, behavesInHebrew, ...ibans]
}

function Secret({ term, value }: { readonly term: string; readonly value: string }) {
  return (
    <div className={classes['secret']}>
      <dt>{term}</dt>
      <dd>
        <CopyValue value={value} label={term} />
      </dd>
    </div>
  )
}
