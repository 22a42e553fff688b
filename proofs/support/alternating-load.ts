import { randomUUID } from 'node:crypto'
import type { Pool } from 'undici'
import { accountsPath } from '../../test/support/calling.ts'

/** What became of the calls of one load; `failed` has a line for each that was not answered 200. */
export interface Load {
  readonly posts: string[]
  readonly failed: string[]
  calls: number
  isOver: boolean
}

/** Makes the next call of a load: POST and GET in turn. */
export async function call(pool: Pool, key: string, load: Load): Promise<void> {
  const isPost = load.calls % 2 === 0
  const id = randomUUID()
  load.calls += 1
  if (isPost) load.posts.push(id)
  const method = isPost ? 'POST' : 'GET'
  try {
    const { statusCode, body } = await pool.request({
      method,
      path: isPost ? '/v1.7.0/consents' : accountsPath,
      headers: { 'x-api-key': key, 'x-request-id': id, 'content-type': 'application/json' },
      body: isPost ? '{}' : null,
    })
    const text = await body.text()
    if (statusCode !== 200) load.failed.push(`${method} ${statusCode} ${text.slice(0, 200)}`)
  } catch (error) {
    load.failed.push(`${method} ${error}`)
  }
}
