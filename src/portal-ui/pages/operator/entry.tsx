import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { partyInWords } from './audit-words.ts'
import classes from './operator.module.css'

export interface EntryProps {
  /** What happened. */
  readonly title: ReactNode
  readonly at: string
  readonly facts: Facts
  /** Whatever else was recorded. */
  readonly detail: Facts
  /** Where it came from. */
  readonly origin: Facts
}

/** By name in the API, which becomes words: `requestId` is "Request id". Null is left out. */
type Facts = Readonly<Record<string, ReactNode>>

/** One thing that happened, with its time and its facts. */
export function Entry({ title, at, facts, detail, origin }: EntryProps) {
  return (
    <div className={classes['who']}>
      <Group gap="xs" justify="space-between">
        <Text fw={600} component="span">
          {title}
        </Text>
        <Text size="sm" c="dimmed" component="span">
          <Time at={at} isPrecise />
        </Text>
      </Group>
      <dl className={classes['facts']}>
        {drawn(facts)}
        {drawn(detail)}
        {drawn(origin)}
      </dl>
    </div>
  )
}

function drawn(facts: Facts) {
  return Object.entries(facts).map(([name, value]) =>
    value === null ? null : <Fact key={name} name={name} value={value} />,
  )
}

export interface PartyLinkProps {
  /** `developer:<id>`. */
  readonly party: string
  /** Where other entries of the party are. */
  readonly href: string
}

/** An actor or a subject. */
export function PartyLink({ party, href }: PartyLinkProps) {
  const { noun, id } = partyInWords(party)
  return (
    <TextLink href={href} size="sm">
      {noun} <bdi>{id}</bdi>
    </TextLink>
  )
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  const isInstant = typeof value === 'string' && instant.test(value)
  return (
    <>
      <dt>{inWords(name)}</dt>
      <dd>{isInstant ? <Time at={value} isPrecise /> : <bdi>{value}</bdi>}</dd>
    </>
  )
}

/** `replacedBy` is "Replaced by". */
function inWords(name: string): string {
  if (name === 'api') return 'API'
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
