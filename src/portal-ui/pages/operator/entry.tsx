import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { knownMessage, t } from '../../words.ts'
import { partyInWords } from './audit-words.tsx'
import classes from './operator.module.css'

export interface EntryProps {
  /** What happened, in one line. */
  readonly title: ReactNode
  readonly at: string
  readonly facts: Facts
  /** What else was recorded. */
  readonly detail: Facts
  /** Where it came from. */
  readonly origin: Facts
}

/** By name in the API, which becomes words: `requestId` is "Request id". Null is left out. */
type Facts = Readonly<Record<string, ReactNode>>

/** One thing that happened: a line, which opens to show its facts. */
export function Entry({ title, at, facts, detail, origin }: EntryProps) {
  return (
    <details className={classes['entry']}>
      <summary>
        <span className={classes['sentence']}>{title}</span>
        <Text size="sm" c="dimmed" component="span" className={classes['at'] ?? ''}>
          <Time at={at} isPrecise />
        </Text>
      </summary>
      <dl className={classes['facts']}>
        {drawn(facts)}
        {drawn(detail)}
        {drawn(origin)}
      </dl>
    </details>
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
  return (
    <TextLink href={href} size="sm">
      <bdi>{partyInWords(party)}</bdi>
    </TextLink>
  )
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  const isInstant = typeof value === 'string' && instant.test(value)
  const known = knownMessage(`fact.${name}`)
  return (
    <>
      <dt>{known === undefined ? inWords(name) : t(known)}</dt>
      <dd>{isInstant ? <Time at={value} isPrecise /> : <bdi>{value}</bdi>}</dd>
    </>
  )
}

/** `replacedBy` is "Replaced by": members of the detail are English words of the log. */
function inWords(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
