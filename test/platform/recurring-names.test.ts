import t from 'tap'
import { RecurringNames } from '../../src/platform/http/recurring-names.ts'

/** What a connection's names make of one message after the other. */
function readAll(messages: readonly (readonly string[])[]): string[][] {
  const names = new RecurringNames()
  return messages.map((message) => {
    const text = message.join('')
    names.begin()
    let at = 0
    return message.map((name) => {
      at += name.length
      return names.take(text, at - name.length, at)
    })
  })
}

t.test('each message has its own names, whatever the message before had', (t) => {
  const many = Array.from({ length: 60 }, (_, at) => `X-${at}`)
  const messages = [
    ['Host', 'Accept', 'X-Request-ID'],
    ['Host', 'Accept', 'X-Request-ID'],
    ['host', 'Origin', 'X-Request-Id'],
    ['Host'],
    many,
    many.toReversed(),
    ['X'.repeat(64), 'X'.repeat(65), 'Y'.repeat(9_000)],
    ['X'.repeat(65), 'X'.repeat(64), 'Y'.repeat(9_000)],
    [],
    ['Host', 'Accept', 'X-Request-ID'],
  ]
  t.same(readAll(messages), messages)
  t.end()
})
