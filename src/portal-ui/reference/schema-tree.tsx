import { useState } from 'react'
import { Message } from '../components/message.tsx'
import { marksOf } from '../local-text.ts'
import { t } from '../words.ts'
import { Markup } from './markup.tsx'
import classes from './reference.module.css'
import {
  type Constraint,
  type SchemaFacts,
  type SchemaMember,
  schemaFacts,
} from './schema-facts.ts'

export interface SchemaTreeProps {
  readonly document: unknown
  readonly schema: unknown
  /** How many levels are open at first. */
  readonly openLevels?: number
}

/** The members of an object as a tree; deeper levels open on demand. */
export function SchemaTree({ document, schema, openLevels = 1 }: SchemaTreeProps) {
  const { members, forms, type, description, choices, constraints } = schemaFacts(document, schema)
  if (members.length === 0 && forms.length === 0) {
    return (
      <div className={classes['member']}>
        <Facts type={type} choices={choices} constraints={constraints} />
        <Markup text={description} />
      </div>
    )
  }
  return (
    <>
      <Markup text={description} />
      <Members document={document} members={members} forms={forms} openLevels={openLevels} />
    </>
  )
}

interface MembersProps {
  readonly document: unknown
  readonly members: readonly SchemaMember[]
  readonly forms: SchemaFacts['forms']
  readonly openLevels: number
}

function Members({ document, members, forms, openLevels }: MembersProps) {
  return (
    <ul className={classes['tree']}>
      {members.map((member) => (
        <Member key={member.name} document={document} member={member} openLevels={openLevels} />
      ))}
      {forms.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a schema never changes its order
        <li className={classes['member']} key={index}>
          <span className={classes['facts']}>{t('reference.oneOf')}</span>
          <ul className={classes['tree']}>
            {group.map((form) => (
              <Member key={form.name} document={document} member={form} openLevels={openLevels} />
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

interface MemberProps {
  readonly document: unknown
  readonly member: SchemaMember
  readonly openLevels: number
}

function Member({ document, member, openLevels }: MemberProps) {
  const facts = schemaFacts(document, member.schema)
  const { type, description, choices, constraints, example, members, forms } = facts
  const hasInside = members.length > 0 || forms.length > 0
  return (
    <li className={classes['member']}>
      <div className={classes['memberHead']}>
        <code className={classes['memberName']} {...marksOf(member.name)}>
          {member.name}
        </code>
        <Facts type={type} choices={[]} constraints={constraints} />
        {member.isRequired ? (
          <span className={classes['required']}>{t('reference.required')}</span>
        ) : null}
      </div>
      <Markup text={description} />
      <Choices choices={choices} />
      {example === '' ? null : <Example text={example} />}
      {hasInside ? (
        <Inside
          document={document}
          members={members}
          forms={forms}
          openLevels={openLevels}
          name={member.name}
        />
      ) : null}
    </li>
  )
}

/** Schemas may be circular, so what is inside is drawn when it is opened. */
function Inside({ name, openLevels, ...rest }: MembersProps & { readonly name: string }) {
  const [isOpen, setIsOpen] = useState(openLevels > 0)
  return (
    <details
      className={classes['inside']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <Message
          id="reference.membersOf"
          values={{
            name: (
              <code dir="ltr" key="name">
                {name}
              </code>
            ),
          }}
        />
      </summary>
      {isOpen ? <Members {...rest} openLevels={openLevels - 1} /> : null}
    </details>
  )
}

export interface FactsProps {
  readonly type: string
  readonly choices: readonly string[]
  readonly constraints: readonly Constraint[]
}

/** The type of a value and the rules for it. */
export function Facts({ type, choices, constraints }: FactsProps) {
  return (
    <span className={classes['facts']}>
      <span dir="ltr" lang="en" data-document>
        {type}
      </span>
      {constraints.map(({ rule, value }) => (
        <span key={rule} className={classes['constraint']}>
          {t(`reference.rule.${rule}`)} <code dir="ltr">{value}</code>
        </span>
      ))}
      <Choices choices={choices} />
    </span>
  )
}

function Choices({ choices }: { readonly choices: readonly string[] }) {
  if (choices.length === 0) return null
  return (
    <span className={classes['choices']}>
      {t(choices.length === 1 ? 'reference.always' : 'reference.choices')}{' '}
      {choices.map((choice) => (
        <code key={choice} dir="ltr">
          {choice}
        </code>
      ))}
    </span>
  )
}

/** A value as it may be sent. */
export function Example({ text }: { readonly text: string }) {
  return (
    <span className={classes['choices']}>
      {t('reference.example')} <code dir="ltr">{text}</code>
    </span>
  )
}
