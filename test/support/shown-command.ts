import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface CommandAnswer {
  readonly status: number
  readonly body: string
}

/**
 * Runs a curl command that a page shows, as a reader does who pastes it into a
 * shell. Where curl is not installed its words are taken apart and sent.
 */
export async function runShownCommand(command: string): Promise<CommandAnswer> {
  try {
    const { stdout } = await run('/bin/sh', ['-c', command])
    return parseMessage(stdout)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 127)) throw error
    return sendWords(wordsOf(command))
  }
}

/** What `curl -i` prints: interim answers, then the answer. */
function parseMessage(text: string): CommandAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/[\d.]+ (\d{3})/.exec(head)?.[1])
  if (status === 100) return parseMessage(rest.join('\r\n\r\n'))
  return { status, body: rest.join('\r\n\r\n') }
}

async function sendWords(words: readonly string[]): Promise<CommandAnswer> {
  const after = (flag: string) => words[words.indexOf(flag) + 1]
  const headers = words.flatMap((word, index) => {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/s.exec(word) ?? []
    return words[index - 1] === '-H' ? [[name, value] as [string, string]] : []
  })
  const method = words.includes('-X') ? (after('-X') ?? 'GET') : 'GET'
  const body = words.includes('--data') ? after('--data') : undefined
  const answer = await fetch(words.find((word) => word.startsWith('http')) ?? '', {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, body: await answer.text() }
}

/** Words of a shell that are plain or single-quoted. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(')/g, (_whole, quoted?: string, escaped?: string) =>
      quoted === undefined ? (escaped ?? '') : quoted,
    ),
  )
}
