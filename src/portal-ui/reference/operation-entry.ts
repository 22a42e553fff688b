// This folder shows the reference of an API version. Read this file first: it finds what a document says about one
// operation. `overview.tsx` is the beginning of a reference, `operation-view.tsx` one operation, `schema-tree.tsx`
// draws a schema, and `try-operation.tsx` and `subscribe-version.tsx` lead on to the reader's applications. Everything
// shown comes from the document: no operation has code of its own.

import {
  listOf,
  type Members,
  membersOf,
  resolved,
  textOf,
} from '../../portal/documents/document-nodes.ts'
import { type Credential, ownSecurity } from '../../portal/documents/own-security.ts'
import { isGatewayProblem } from '../calls/readable-body.ts'
import { words } from '../words.ts'

/** All that a document says about one operation. */
export interface OperationEntry {
  /** In Markdown. */
  readonly description: string
  /** What it needs beside the gateway's key, as alternatives. */
  readonly security: readonly (readonly Credential[])[]
  readonly parameters: readonly EntryParameter[]
  readonly body: EntryBody | undefined
  readonly responses: readonly EntryResponse[]
  /** Source code in each language. */
  readonly samples: readonly EntrySample[]
}

/** A value that goes into the path, the query or a header of a call. */
export interface EntryParameter {
  readonly name: string
  readonly place: string
  readonly isRequired: boolean
  readonly description: string
  readonly schema: unknown
  readonly examples: readonly string[]
}

/** The body of a call. */
export interface EntryBody {
  readonly isRequired: boolean
  readonly description: string
  readonly contents: readonly EntryContent[]
}

/** One response, by status as written: `200` or `default`. */
export interface EntryResponse {
  readonly status: string
  readonly description: string
  readonly headers: readonly string[]
  readonly contents: readonly EntryContent[]
}

/** A body of one media type. */
export interface EntryContent {
  readonly mediaType: string
  readonly schema: unknown
  readonly examples: readonly EntryExample[]
}

export interface EntryExample {
  readonly title: string
  readonly value: unknown
}

export interface EntrySample {
  readonly label: string
  readonly source: string
}

/** An error that an operation may answer with. */
export interface EntryError {
  readonly status: string
  readonly code: string
  readonly title: string
  /** Whether it is the gateway's: only those have a page of explanation at the portal. */
  readonly isOfGateway: boolean
}

/** Reads one operation out of an OpenAPI document; undefined if the document lacks it. */
export function operationEntry(document: unknown, id: string): OperationEntry | undefined {
  const root = membersOf(document)
  for (const each of Object.values(membersOf(root['paths']))) {
    const item = resolved(root, each)
    for (const candidate of Object.values(item)) {
      const own = membersOf(candidate)
      if (own['operationId'] === id) return entryOf(root, item, own)
    }
  }
  return undefined
}

function entryOf(root: Members, item: Members, own: Members): OperationEntry {
  const parameters = new Map<string, EntryParameter>()
  // The operation's own first; one of the path with the same name is replaced.
  for (const each of [...listOf(own['parameters']), ...listOf(item['parameters'])]) {
    const parameter = parameterOf(root, resolved(root, each))
    const name = `${parameter.place} ${parameter.name}`
    if (!parameters.has(name)) parameters.set(name, parameter)
  }
  const body = resolved(root, own['requestBody'])
  return {
    description: textOf(own['description']),
    security: ownSecurity(root, own),
    parameters: [...parameters.values()].toSorted(
      (a, b) => Number(b.isRequired) - Number(a.isRequired),
    ),
    body:
      own['requestBody'] === undefined
        ? undefined
        : {
            isRequired: body['required'] === true,
            description: textOf(body['description']),
            contents: contentsOf(root, body),
          },
    responses: Object.entries(membersOf(own['responses']))
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, each]) => {
        const response = resolved(root, each)
        return {
          status,
          description: textOf(response['description']),
          headers: Object.keys(membersOf(response['headers'])),
          contents: contentsOf(root, response),
        }
      }),
    samples: listOf(own['x-codeSamples']).map((each) => {
      const { label, source } = membersOf(each)
      return { label: textOf(label), source: textOf(source) }
    }),
  }
}

function parameterOf(root: Members, parameter: Members): EntryParameter {
  const { name, in: place, required, description, schema, example, examples } = parameter
  const named = Object.values(membersOf(examples)).map((each) => resolved(root, each)['value'])
  return {
    name: textOf(name),
    place: textOf(place),
    isRequired: required === true,
    description: textOf(description),
    schema,
    examples: [...(example === undefined ? [] : [example]), ...named].map(String),
  }
}

function contentsOf(root: Members, parent: Members): readonly EntryContent[] {
  return Object.entries(membersOf(parent['content'])).map(([mediaType, each]) => {
    const { schema, example, examples } = membersOf(each)
    const named = Object.entries(membersOf(examples)).map(([name, one]) => {
      const { summary, value } = resolved(root, one)
      return { title: textOf(summary) || name, value }
    })
    const single = example === undefined ? [] : [{ title: '', value: example }]
    return { mediaType, schema, examples: [...single, ...named] }
  })
}

/** The errors among the examples of the responses, each code once a status. */
export function errorsOf({ responses }: OperationEntry): readonly EntryError[] {
  const errors = new Map<string, EntryError>()
  for (const { status, contents } of responses) {
    if (/^[123]/.test(status)) continue
    for (const { title, value } of contents.flatMap(({ examples }) => examples)) {
      const { code, type, tppMessages } = membersOf(value)
      const name = textOf(code) || textOf(membersOf(listOf(tppMessages)[0])['code'])
      if (name === '' || errors.has(`${status} ${name}`)) continue
      const isOfGateway = isGatewayProblem(name, textOf(type), words())
      errors.set(`${status} ${name}`, { status, code: name, title, isOfGateway })
    }
  }
  return [...errors.values()]
}
