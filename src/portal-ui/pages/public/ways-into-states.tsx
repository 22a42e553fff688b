import { Code, Table } from '@mantine/core'
import { Fragment, useState } from 'react'
import type { Sandbox } from '../../../portal/api/schemas/sandbox.ts'
import { pageLanguage, t } from '../../words.ts'
import classes from './sandbox.module.css'

/** The states of the chosen kind of resource, and the ways into each. */
export function WaysIntoStates({ ways }: Pick<Sandbox, 'ways'>) {
  const isHebrew = pageLanguage() === 'he'
  const [chosen, setChosen] = useState(ways[0]?.of)
  const shown = ways.find((kind) => kind.of === chosen)
  return (
    <div className={classes['states']}>
      <fieldset aria-label={t('sandbox.statesOf')} className={classes['kinds']}>
        {ways.map((kind) => (
          <button
            key={kind.of}
            type="button"
            aria-pressed={kind.of === chosen}
            className={classes['kind']}
            onClick={() => setChosen(kind.of)}
          >
            {isHebrew ? kind.ofInHebrew : kind.of}
          </button>
        ))}
      </fieldset>
      {shown === undefined ? null : (
        <Table verticalSpacing="sm" className={classes['table'] ?? ''}>
          <caption>
            <Code dir="ltr">{shown.member}</Code>
          </caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('sandbox.state')}</Table.Th>
              <Table.Th scope="col">{t('sandbox.anyWay')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.states.map(({ state, ways: inEnglish, waysInHebrew }) => (
              <Table.Tr key={state}>
                <Table.Th scope="row">
                  <Code dir="ltr">{state}</Code>
                </Table.Th>
                <Table.Td>
                  <ul className={classes['ways']}>
                    {(isHebrew ? waysInHebrew : inEnglish).map((way) => (
                      <li key={way}>
                        <WithCode text={way} />
                      </li>
                    ))}
                  </ul>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </div>
  )
}

/** Renders a sentence; parts between backticks become code. */
function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) => {
    // The parts of a sentence never change order.
    const key = `${at} ${part}`
    return at % 2 === 1 ? (
      <Code key={key} dir="ltr">
        {part}
      </Code>
    ) : (
      <Fragment key={key}>{part}</Fragment>
    )
  })
}
