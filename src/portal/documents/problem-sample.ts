import { STATUS_CODES } from 'node:http'
import type { ApiVersion, JsonObject } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import { type Located, membersOf } from '../../catalogue/documents/reference.ts'
import { isJsonObject } from '../../catalogue/json.ts'
import { type ErrorCode, errors } from '../../platform/http/errors.ts'
import { renderProblem } from '../../platform/http/problem.ts'
import { writeJson } from '../samples/curl-sample.ts'
import { sampleValue } from '../samples/sample-value.ts'
import type { PortalServices } from '../services.ts'
import { utcDay } from './moved-days.ts'
import type { ServedDocument } from './served-document.ts'

/** An answer with an error, as a client receives it. */
export interface ProblemSample {
  /** Status line and header fields, one a line. */
  readonly head: string
  /** JSON, with indentation. */
  readonly body: string
}

export type ProblemSamples = (code: ErrorCode) => ProblemSample

export interface ProblemSamplesOptions
  extends Pick<PortalServices, 'catalogue' | 'portalUrl' | 'now'> {
  readonly servedDocument: ServedDocument
}

/** Id of a request that was never made. */
const requestId = '99391c7e-ad88-49ec-a2ad-99ddcb1f7721'

/**
 * Creates the function that writes a sample of an error. The gateway's own
 * renderer writes it; what differs from call to call (detail, further members,
 * header values) is from the examples of the published documents.
 */
export function createProblemSamples(options: ProblemSamplesOptions): ProblemSamples {
  const { catalogue, portalUrl, now, servedDocument } = options
  /** By version: its document may no longer be kept. The days in it move. */
  const read = new WeakMap<
    ApiVersion,
    { readonly day: string; readonly examples: ProblemExamples }
  >()

  function examplesIn(published: ApiVersion): ProblemExamples {
    const day = utcDay(now())
    const known = read.get(published)
    if (known?.day === day) return known.examples
    const examples = problemExamples(servedDocument(published), published)
    read.set(published, { day, examples })
    return examples
  }

  return (code) => {
    const newestFirst = [...catalogue().versions.values()].toReversed().map(examplesIn)
    const { status } = errors[code]
    const example = newestFirst.find(({ byCode }) => byCode.has(code))?.byCode.get(code)
    const { type, detail, log, ...others } = example?.members ?? {}
    const members = Object.entries(others).filter(([name]) => !written.has(name))
    const rendered = renderProblem(
      {
        code,
        ...(typeof detail === 'string' ? { detail } : {}),
        members: {
          ...(isForeign(type) ? { type } : {}),
          ...Object.fromEntries(members),
        },
      },
      { requestId, portalUrl: portalUrl(), isRecorded: log !== undefined },
    )
    const values = newestFirst.map(({ headers }) => headers.get(status))
    const fields = headersNamedIn(errors[code].help).flatMap((name) => {
      const value = example?.headers?.[name] ?? values.find((known) => known?.has(name))?.get(name)
      return value === undefined ? [] : `${name}: ${value}`
    })
    return {
      head: [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        `Content-Type: ${rendered.headers['content-type']}`,
        ...fields,
        `X-Request-ID: ${requestId}`,
      ].join('\n'),
      body: writeJson(sampleValue(JSON.parse(rendered.body))),
    }
  }
}

/** Members that the renderer writes for each code. */
const written: ReadonlySet<string> = new Set(['title', 'status', 'instance', 'code', 'help'])

/** Whether another specification has defined the type; ours is the page of the code. */
function isForeign(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('https://iana.org/')
}

/** Names in backticks that may be header fields. The documents decide which ones are. */
function headersNamedIn(help: string): readonly string[] {
  const names = [...help.matchAll(/`([A-Z][A-Za-z-]+)`/g)].map(([, name = '']) => name)
  return [...new Set(names)]
}

/** What a document contains about the gateway's errors. */
interface ProblemExamples {
  readonly byCode: ReadonlyMap<string, ProblemExample>
  /** Example values of header fields, by name, in answers with a status. */
  readonly headers: ReadonlyMap<number, ReadonlyMap<string, string>>
}

interface ProblemExample {
  readonly members: JsonObject
  /** Headers of this particular example (`x-headers`). */
  readonly headers: JsonObject | undefined
}

function problemExamples(document: JsonObject, { operations }: ApiVersion): ProblemExamples {
  const byCode = new Map<string, ProblemExample>()
  const headers = new Map<number, Map<string, string>>()
  // Hundreds of operations share a few responses.
  const seen = new Set<string>()
  for (const { template, method } of operations) {
    for (const [status, response] of operationObject(document, template, method)?.responses ?? []) {
      if (seen.has(response.pointer)) continue
      seen.add(response.pointer)
      const values = headers.get(Number(status)) ?? new Map<string, string>()
      headers.set(Number(status), values)
      for (const [name, { value }] of membersOf(document, response, 'headers')) {
        const { example } = value
        if (!values.has(name) && example !== undefined) values.set(name, String(example))
      }
      for (const [members, own] of examplesOf(document, response)) {
        const code = String(members['code'])
        if (!byCode.has(code)) byCode.set(code, { members, headers: own })
      }
    }
  }
  return { byCode, headers }
}

/** The examples of problems of a response, each with its own header fields. */
function examplesOf(
  document: JsonObject,
  response: Located,
): readonly (readonly [JsonObject, JsonObject | undefined])[] {
  const contents = membersOf(document, response, 'content')
  const problems = contents.filter(([type]) => type === 'application/problem+json')
  return problems.flatMap(([, content]) =>
    membersOf(document, content, 'examples').flatMap(([, { value }]) => {
      const { value: members, 'x-headers': own } = value
      return isJsonObject(members) ? [[members, isJsonObject(own) ? own : undefined] as const] : []
    }),
  )
}
