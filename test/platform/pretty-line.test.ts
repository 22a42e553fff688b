import t from 'tap'
import { calmLine, prettyLine } from '../../src/platform/log/pretty-line.ts'

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

t.test(
  'a terminal shows calls, warnings and errors, and neither requests nor security events',
  async (t) => {
    const shown = (fields: object) =>
      calmLine(JSON.stringify({ level: 'info', time: 0, ...fields })) !== undefined
    t.notOk(shown({ msg: 'portal request', status: 200 }))
    t.notOk(shown({ msg: 'bank call', status: 200 }))
    t.notOk(shown({ msg: 'portal request', status: 404 }), 'a wrong address says so itself')
    t.ok(shown({ msg: 'portal request', status: 500 }))
    t.ok(shown({ msg: 'changed files were read', event: 'files.reloaded' }))
    t.notOk(shown({ msg: 'Tollgate made a change', event: 'system.change' }))
    t.ok(shown({ msg: 'call', status: 200 }))
    t.ok(shown({ msg: 'configuration reloaded' }))
    t.ok(shown({ level: 'warn', msg: 'a sign-in was throttled', event: 'sign-in.throttled' }))
    t.ok(shown({ level: 'error', msg: 'a portal request failed' }))
  },
)
