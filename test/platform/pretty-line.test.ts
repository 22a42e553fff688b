import t from 'tap'
import { prettyLine } from '../../src/platform/log/pretty-line.ts'

const err = {
  stack:
    'StatementTimeout: the database did not answer in time\n    at Object.query (database.ts:210:42)\ncaused by: Error: Query read timeout\n    at client.js:694:17',
}
const line = (level: string) =>
  prettyLine(JSON.stringify({ level, time: 0, msg: 'change feed cannot be read', err }))

t.test('on a terminal a warning shows its causes without stacks, an error with them', async (t) => {
  t.match(
    line('warn'),
    /^\S+ {2}WARN change feed cannot be read\n {4}StatementTimeout: [^\n]*\n {4}caused by: Error: Query read timeout\n$/,
  )
  t.match(line('error'), /at Object\.query[\s\S]*at client\.js/)
})
