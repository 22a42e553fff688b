import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { authorisationTransitions } from '../../src/backend/domain/authorisation.ts'
import { consentTransitions } from '../../src/backend/domain/consent.ts'
import { mandateTransitions } from '../../src/backend/domain/mandate.ts'
import { paymentTransitions } from '../../src/backend/domain/payment.ts'
import { behaviourWords } from '../../src/backend/sandbox/behaviours.ts'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { waysIntoStates } from '../../src/backend/sandbox/ways.ts'
import { waysInHebrew } from '../../src/backend/sandbox/ways-in-hebrew.ts'
import { drills } from '../../src/platform/http/drills.ts'

const handbook = readFileSync(
  fileURLToPath(new URL('../../docs/sandbox.md', import.meta.url)),
  'utf8',
)

/** The rows of the table that follows a text, without its head. */
function tableAfter(text: string): string[][] {
  const lines = handbook.slice(handbook.indexOf(text)).split('\n')
  const from = lines.findIndex((line) => line.startsWith('|'))
  const rows = lines.slice(from + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
}

t.test('the table of people is that of the personas', async (t) => {
  t.same(
    tableAfter('## People'),
    sandboxPsus.map(({ id, alias, name, behaviour }) => [
      id,
      alias,
      name,
      behaviourWords(behaviour),
    ]),
  )
})

t.test('the table of accounts is that of the personas', async (t) => {
  t.same(
    tableAfter('## Accounts and card').map((cells) => cells.slice(0, 4)),
    sandboxPsus.flatMap(({ alias, accounts, card }) => [
      ...accounts.map(({ iban, currency, opening }) => [iban, currency, alias, opening]),
      ...(card === undefined ? [] : [[card.maskedPan, accounts[0]?.currency, alias, '']]),
    ]),
  )
})

t.test('what is special about an account or a person is described', async (t) => {
  const rows = tableAfter('## Accounts and card')
  const wordsFor = { enabled: '', blocked: 'blocked', deleted: 'closed' }
  for (const { corporateId, accounts } of sandboxPsus) {
    for (const { iban, currency, status, usage } of accounts) {
      const special = rows.find(([of, money]) => of === iban && money === currency)?.[4] ?? ''
      const words = [
        wordsFor[status],
        ...(usage === 'ORGA' ? ['of an organisation'] : []),
        ...(corporateId === undefined ? [] : [corporateId]),
      ]
      for (const word of words) {
        t.ok(special.includes(word), `${iban} ${currency}: ${word}`)
      }
    }
  }
})

t.test('the tables of states are those of the portal’s page', async (t) => {
  for (const { of, states } of waysIntoStates) {
    t.same(
      tableAfter(`**${of}**`),
      states.map(({ state, ways }) => [`\`${state}\``, ways.join('<br>')]),
      of,
    )
  }
})

t.test('each way into a state is described in Hebrew, too', async (t) => {
  for (const { of, states } of waysIntoStates) {
    for (const text of [of, ...states.flatMap(({ ways }) => ways)]) t.ok(waysInHebrew[text], text)
  }
})

t.test('there is a way into every state', async (t) => {
  for (const [text, transitions] of [
    ['**Payments**', paymentTransitions],
    ['**Consents**', consentTransitions],
    ['**Mandates**', mandateTransitions],
    ['**Authorisations**', authorisationTransitions],
  ] as const) {
    t.same(
      tableAfter(text)
        .map(([state]) => state)
        .sort(),
      Object.keys(transitions)
        .map((state) => `\`${state}\``)
        .sort(),
      text,
    )
  }
})

t.test('the table of drills has each of them', async (t) => {
  t.same(
    tableAfter('## Drills').map(([value]) => value),
    drills.map((drill) => `\`${drill}\``),
  )
})
