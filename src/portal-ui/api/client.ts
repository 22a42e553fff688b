// This folder sends the page's requests to the portal's JSON API. Read this file first: every request goes through it.
// The other files have the hooks of TanStack Query, a file for each subject, and name the responses that are read again
// after a change. `query-client.ts` is their cache. Types come from the API's schemas. Hooks show nothing: errors go
// to the caller.

import type { Problem } from '../../portal/api/schemas/common.ts'
import { parseJson } from '../parse-json.ts'
import { t } from '../words.ts'
import { askForProof } from './proof-question.ts'

/** A request that failed: a response other than 2xx with its problem document, or no usable response. */
export class ApiFailure extends Error {
  /** Status of the response; 0 without a response. */
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

/** Whether an error is a problem with this code. */
export function isProblem(error: unknown, code: string): error is ApiFailure {
  return error instanceof ApiFailure && error.problem.code === code
}

/**
 * Sends a request to the portal's JSON API and returns the body of the
 * response; undefined if it has none. The caller names the type, which is that
 * of the route's schema. When the portal wants a proof of who the developer is,
 * the page asks for it and then repeats the request.
 *
 * @param path from the root, with its query: `/api/applications?limit=100`
 * @throws {ApiFailure} for every response but 2xx, for one that is not JSON
 * (code `ANSWER_UNEXPECTED`), and without a response (status 0, code `PORTAL_UNREACHABLE`)
 */
export async function request<Value>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Value> {
  const { response, text } = await send(method, path, body)
  if (!response.ok) {
    const failure = failureOf(response, text)
    if (isProblem(failure, 'STEP_UP_REQUIRED') && (await askForProof())) {
      return request(method, path, body)
    }
    throw failure
  }
  const value = parseJson(text)
  if (value === undefined && text !== '') throw new ApiFailure(unexpected(response.status))
  // The schema of the route is the contract; the server made the response from it.
  return value as Value
}

/**
 * Reads a list with {@link request}.
 *
 * @throws {ApiFailure} also for a response that is not a list, which a proxy may send
 */
export async function requestList<List extends { readonly items: readonly unknown[] }>(
  path: string,
): Promise<List> {
  const list = await request<List | undefined>('GET', path)
  if (!Array.isArray(list?.items)) throw new ApiFailure(unexpected(200))
  return list
}

interface ReadResponse {
  readonly response: Response
  /** The whole body. */
  readonly text: string
}

async function send(method: string, path: string, body: unknown): Promise<ReadResponse> {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // The connection may still break while the body arrives.
    return { response, text: await response.text() }
  } catch {
    throw new ApiFailure(unreachable())
  }
}

function failureOf(response: Response, text: string): ApiFailure {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiFailure(problemIn(response, text) ?? unexpected(response.status), {
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  })
}

/** The problem document of a response; undefined if it has none, as an error page of a proxy. */
function problemIn(response: Response, text: string): Problem | undefined {
  const type = response.headers.get('content-type') ?? ''
  // Parse boundary: one renderer writes all problems of the portal.
  return type.startsWith('application/problem+json')
    ? (parseJson(text) as Problem | undefined)
    : undefined
}

function unreachable(): Problem {
  return {
    type: 'about:blank',
    title: t('problem.unreachable.title'),
    status: 0,
    detail: t('problem.unreachable.detail'),
    instance: '',
    code: 'PORTAL_UNREACHABLE',
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
