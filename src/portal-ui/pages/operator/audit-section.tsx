import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link, useSearchParams } from 'wouter'
import type { AuditEntry } from '../../../gateway/portal/schemas/operator.ts'
import { useAudit } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Time } from '../../components/time.tsx'
import { actionInWords, partyInWords } from './audit-words.ts'
import classes from './operator.module.css'
import { PagedList } from './paged-list.tsx'
import { SearchField } from './search-field.tsx'
import { sectionPath } from './section-links.tsx'

/** The audit log: actor, action and subject, newest first. */
export function AuditSection() {
  const [params, setParams] = useSearchParams()
  const actor = params.get('actor') ?? ''
  const subject = params.get('subject') ?? ''
  const isFiltered = actor !== '' || subject !== ''
  const audit = useAudit({ actor, subject })
  return (
    <Stack gap="lg">
      <div className={classes['fields']}>
        <SearchField
          member="actor"
          label="Actor"
          description="Exactly: developer:<id>, operator:<name> or system."
        />
        <SearchField
          member="subject"
          label="Subject"
          description="Exactly: application:<id>, developer:<id>, key:<id> …"
        />
      </div>
      {isFiltered ? (
        <Button
          variant="default"
          size="xs"
          onClick={() => setParams({})}
          style={{ alignSelf: 'flex-start' }}
        >
          Show all entries
        </Button>
      ) : null}
      <PagedList
        query={audit}
        nouns={['entry', 'entries']}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={isFiltered ? 'No such entry' : 'Nothing has happened yet'}>
            {isFiltered
              ? 'Actor and subject must match exactly.'
              : 'Every change to developers, applications, keys and subscriptions appears here.'}
          </EmptyState>
        }
      >
        {(entry) => <Entry entry={entry} />}
      </PagedList>
    </Stack>
  )
}

function Entry({ entry: { at, actor, action, subject, detail } }: { readonly entry: AuditEntry }) {
  const facts = Object.entries(detail)
  return (
    <div className={classes['who']}>
      <Group gap="xs" justify="space-between">
        <Text fw={600} component="span">
          {actionInWords(action)}
        </Text>
        <Text size="sm" c="dimmed" component="span">
          <Time at={at} isPrecise />
        </Text>
      </Group>
      <dl className={classes['facts']}>
        <dt>By</dt>
        <dd>
          <Party member="actor" party={actor} />
        </dd>
        <dt>To</dt>
        <dd>
          <Party member="subject" party={subject} />
        </dd>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
    </div>
  )
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{inWords(name)}</dt>
      <dd>{instant.test(value) ? <Time at={value} isPrecise /> : <bdi>{value}</bdi>}</dd>
    </>
  )
}

/** Links to the entries of the same actor or subject. */
function Party({
  member,
  party,
}: {
  readonly member: 'actor' | 'subject'
  readonly party: string
}) {
  const { noun, id } = partyInWords(party)
  return (
    <Anchor
      component={Link}
      href={`${sectionPath('audit')}?${new URLSearchParams({ [member]: party })}`}
      size="sm"
      underline="always"
    >
      {noun} <bdi>{id}</bdi>
    </Anchor>
  )
}

/** `replacedBy` is "Replaced by". */
function inWords(name: string): string {
  if (name === 'api') return 'API'
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
