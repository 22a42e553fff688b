import { Redis } from 'ioredis'

/**
 * Sends one command over a connection of its own and returns the answer as
 * redis-cli prints it, trimmed, so an error of the server is an answer, too. A
 * process of redis-cli each time would cost a test process more than most tests.
 *
 * @param command with `-a` and a password in front, it signs in first
 * @throws when nothing answers on the port
 */
export async function redisCommand(port: number, ...command: string[]): Promise<string> {
  const password = command[0] === '-a' ? command[1] : undefined
  const [name = '', ...args] = password === undefined ? command : command.slice(2)
  const client = new Redis({
    ...{ host: '127.0.0.1', port, lazyConnect: true },
    ...{ enableReadyCheck: false, disableClientInfo: true, retryStrategy: () => null },
    ...(password !== undefined && { password }),
  })
  // A command that cannot be sent is rejected, too.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return printed(await client.call(name, args).catch(errorAnswer)).trim()
  } finally {
    client.disconnect()
  }
}

function printed(answer: unknown): string {
  return Array.isArray(answer) ? answer.map(printed).join('\n') : String(answer ?? '')
}

/** @throws what is no answer of the server */
function errorAnswer(error: unknown): string {
  if (error instanceof Error && error.name === 'ReplyError') return error.message
  throw error
}
