import { Title } from '@mantine/core'
import { t } from '../words.ts'
import { Markup } from './markup.tsx'
import type { EntryParameter } from './operation-entry.ts'
import classes from './reference.module.css'
import { schemaFacts } from './schema-facts.ts'
import { Example, Facts } from './schema-tree.tsx'

export interface ParameterListProps {
  readonly document: unknown
  readonly parameters: readonly EntryParameter[]
}

const places = ['path', 'query', 'header'] as const

/** The parameters of an operation by place. Optional headers, of which there are many, open on demand. */
export function ParameterList({ document, parameters }: ParameterListProps) {
  return places.map((place) => {
    const own = parameters.filter((parameter) => parameter.place === place)
    if (own.length === 0) return null
    const isFolded = place === 'header'
    const shown = isFolded ? own.filter(({ isRequired }) => isRequired) : own
    const folded = isFolded ? own.filter(({ isRequired }) => !isRequired) : []
    return (
      <section key={place} aria-labelledby={`parameters-${place}`}>
        <Title order={3} id={`parameters-${place}`}>
          {t(`reference.place.${place}`)}
        </Title>
        <Parameters document={document} parameters={shown} />
        {folded.length === 0 ? null : (
          <details className={classes['inside']}>
            <summary>{t('reference.optionalHeaders', { count: folded.length })}</summary>
            <Parameters document={document} parameters={folded} />
          </details>
        )}
      </section>
    )
  })
}

function Parameters({ document, parameters }: ParameterListProps) {
  if (parameters.length === 0) return null
  return (
    <ul className={classes['tree']}>
      {parameters.map((parameter) => {
        const { type, choices, constraints } = schemaFacts(document, parameter.schema)
        const [example] = parameter.examples
        return (
          <li key={parameter.name} className={classes['member']}>
            <div className={classes['memberHead']}>
              <code className={classes['memberName']}>{parameter.name}</code>
              <Facts type={type} choices={[]} constraints={constraints} />
              {parameter.isRequired ? (
                <span className={classes['required']}>{t('reference.required')}</span>
              ) : null}
            </div>
            <Markup text={parameter.description} />
            {choices.length === 0 ? null : <Facts type="" choices={choices} constraints={[]} />}
            {example === undefined || choices.length > 0 ? null : <Example text={example} />}
          </li>
        )
      })}
    </ul>
  )
}
