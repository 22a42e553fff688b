import type { Problem } from '../../gateway/portal/schemas/common.ts'

/** An answer that is no success, with the problem it carries. */
export class ApiFailure extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  readonly problem: Problem
  /** Seconds after which to try again, where the answer says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(problem: Problem, options: { retryAfterSeconds?: number | undefined } = {}) {
    super(problem.detail ?? problem.title)
    this.name = 'ApiFailure'
    this.status = problem.status
    this.problem = problem
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Whether an error is the problem with that code. */
export function isProblem(error: unknown, code: string): error is ApiFailure {
  return error instanceof ApiFailure && error.problem.code === code
}

/**
 * Calls the JSON API of the portal. The caller names the type of the answer,
 * which is the schema of that call; answers without a body are undefined.
 *
 * @param path from the root, with its query: `/api/applications`
 * @throws {ApiFailure} for every answer but 2xx, and with status 0 (code `PORTAL_UNREACHABLE`) when none came
 */
export async function request<Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const { answer, text } = await send(method, path, body)
  if (!answer.ok) throw failureOf(answer, text)
  const value = text === '' ? undefined : parsed(text)
  if (value === undefined && text !== '') throw new ApiFailure(unexpected(answer))
  // The schema of the call is the contract; the server made the answer from it.
  return value as Answer
}

interface ReadAnswer {
  readonly answer: Response
  readonly text: string
}

async function send(method: string, path: string, body: unknown): Promise<ReadAnswer> {
  try {
    const answer = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // The connection may still break while the answer comes.
    return { answer, text: await answer.text() }
  } catch {
    throw new ApiFailure({
      type: 'about:blank',
      title: 'The portal does not answer',
      status: 0,
      detail: 'Check your connection, then try again.',
      instance: '',
      code: 'PORTAL_UNREACHABLE',
    })
  }
}

function failureOf(answer: Response, text: string): ApiFailure {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const options = { retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined }
  return new ApiFailure(problemIn(answer, text) ?? unexpected(answer), options)
}

function problemIn(answer: Response, text: string): Problem | undefined {
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
  // Every problem of the portal is made by one renderer.
  return isProblem === true ? (parsed(text) as Problem | undefined) : undefined
}

/** Undefined for what is no JSON: a page of a proxy in between. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unexpected(answer: Response): Problem {
  return {
    type: 'about:blank',
    title: 'The portal gave an answer it should not give',
    status: answer.status,
    instance: '',
    code: 'ANSWER_UNEXPECTED',
  }
}
