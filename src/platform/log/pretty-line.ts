/** Fields that every line has, or that do not help a person at a terminal. */
const hidden = new Set(['level', 'time', 'pid', 'msg', 'err', 'requestId', 'applicationId'])

/** The fields of a log line. */
type Fields = Readonly<Record<string, unknown>>

/**
 * Formats a log line for people: local time, level unless it is `info`, message
 * and fields. Below it follow the error and its causes, with stacks unless it is
 * a warning: those are about other systems, not our code. A call becomes `14:03:07
 * listAccounts (xs2a 1.7.0): 200, 99 calls left, 3.1 ms`.
 *
 * @param line one line of JSON, as the log writes it
 */
export function prettyLine(line: string): string {
  // Parse boundary: only this process's log passes lines in.
  return formatted(JSON.parse(line) as Fields)
}

function formatted(fields: Fields): string {
  const time = new Date(String(fields['time'])).toTimeString().slice(0, 8)
  const level = fields['level'] === 'info' ? '' : `${String(fields['level']).toUpperCase()} `
  const text = fields['msg'] === 'call' ? callText(fields) : messageText(fields)
  return `${time}  ${level}${text}${errorLines(fields)}\n`
}

function callText(fields: Fields): string {
  const { api, version, operation, status, outcome, remaining, totalMs } = fields
  const target = operation === undefined ? 'unknown operation' : `${operation} (${api} ${version})`
  const parts = [
    outcome === 'forwarded' ? status : `${status} ${outcome}`,
    ...(remaining === undefined ? [] : [`${remaining} ${remaining === 1 ? 'call' : 'calls'} left`]),
    `${totalMs} ms`,
  ]
  return printable(`${target}: ${parts.join(', ')}`)
}

/** Messages of requests that a person makes with a browser, and of the bank behind a call, which has a line of its own. */
const requests = new Set<unknown>(['portal request', 'bank call'])

/**
 * The same for a terminal that shows calls as they come: without requests to
 * the portal and the bank that did not fail, and without security events, which `tollgate events` and
 * `tollgate audit` show. Warnings, errors and reloaded files stay.
 *
 * @returns undefined: no line
 */
export function calmLine(line: string): string | undefined {
  // Parse boundary: as above.
  const fields = JSON.parse(line) as Fields
  const { level, msg, event, status } = fields
  const isOther = event !== undefined && event !== 'files.reloaded'
  const isQuiet = requests.has(msg) && Number(status) < 500
  return level === 'info' && (isOther || isQuiet) ? undefined : formatted(fields)
}

function messageText(fields: Fields): string {
  const shown = Object.entries(fields)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return printable([fields['msg'] ?? '', ...shown].join('  '))
}

function errorLines({ level, err: error }: Fields): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as Fields
  return String(stack ?? message)
    .split('\n')
    .filter((text) => level !== 'warn' || !/^\s*at /.test(text))
    .map((text) => `\n    ${printable(text)}`)
    .join('')
}

/** Text from a client must not move a terminal's cursor or change its colours. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}
