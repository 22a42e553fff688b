// This folder sends the page's requests to the portal's JSON API. Read this file first: every request goes through it.
// The other files have the hooks of TanStack Query, a file for each subject, and say which answers are read again
// after a change. `query-client.ts` is their cache. Types come from the API's schemas. Hooks show nothing: errors go
// to the caller.

import type { Problem } from '../../portal/api/schemas/common.ts'
import { t } from '../words.ts'
import { askForProof } from './proof-question.ts'

/** A response other than 2xx, with its problem document. */
export class ApiFailure extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number
  readonly problem: Problem
  /** Seconds to wait before a retry, if the response says so. */
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
 * Calls the JSON API of the portal. The caller names the type of the response,
 * which is the schema of that call; undefined for a response without a body.
 * When the portal wants a proof of who the developer is, the page asks for it
 * and then repeats the call.
 *
 * @param path from the root, with its query: `/api/applications`
 * @throws {ApiFailure} for every response but 2xx, and with status 0 (code `PORTAL_UNREACHABLE`) without a response
 */
export async function request<Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const { answer, text } = await send(method, path, body)
  if (!answer.ok) {
    const failure = failureOf(answer, text)
    if (isProblem(failure, 'STEP_UP_REQUIRED') && (await askForProof())) {
      return request(method, path, body)
    }
    throw failure
  }
  const value = text === '' ? undefined : parsed(text)
  if (value === undefined && text !== '') throw new ApiFailure(unexpected(answer.status))
  // The schema of the call is the contract; the server made the answer from it.
  return value as Answer
}

/** {@link request} for a list. @throws {ApiFailure} also for a response that is not a list, which a proxy may send */
export async function requestList<List extends { readonly items: readonly unknown[] }>(
  path: string,
): Promise<List> {
  const list = await request<List | undefined>('GET', path)
  if (!Array.isArray(list?.items)) throw new ApiFailure(unexpected(200))
  return list
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
    // The connection may still break while the body arrives.
    return { answer, text: await answer.text() }
  } catch {
    throw new ApiFailure({
      type: 'about:blank',
      title: t('problem.unreachable.title'),
      status: 0,
      detail: t('problem.unreachable.detail'),
      instance: '',
      code: 'PORTAL_UNREACHABLE',
    })
  }
}

function failureOf(answer: Response, text: string): ApiFailure {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const options = { retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined }
  return new ApiFailure(problemIn(answer, text) ?? unexpected(answer.status), options)
}

function problemIn(answer: Response, text: string): Problem | undefined {
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
  // One renderer writes all problems of the portal.
  return isProblem === true ? (parsed(text) as Problem | undefined) : undefined
}

/** Undefined for text that is not JSON, for example a proxy's page. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unexpected(status: number): Problem {
  return {
    type: 'about:blank',
    title: t('problem.unexpected'),
    status,
    instance: '',
    code: 'ANSWER_UNEXPECTED',
  }
}
