import { Redis } from 'ioredis'

/**
 * Sends one command over its own connection and returns the answer as
 * redis-cli prints it, trimmed, so an error of the server is an answer, too. A
 * process of redis-cli each time would cost a test process more than most tests.
 *
 * @param command with `-a` and a password in front, it signs in first
 * @throws when nothing listens on the port, or the answer takes longer than 30 s
 */
export async function redisCommand(port: number, ...command: string[]): Promise<string> {
  const password = command[0] === '-a' ? command[1] : undefined
  const [name = '', ...args] = password === undefined ? command : command.slice(2)
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: () => null,
    commandTimeout: 30_000,
    ...(password !== undefined && { password }),
  })
  let failure: unknown
  client.on('error', (error) => {
    failure = error
  })
  try {
    await client.connect()
    return printed(await client.call(name, args).catch(errorAnswer)).trim()
  } catch (error) {
    throw new Error(`${name} to Redis on port ${port}`, { cause: failure ?? error })
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
