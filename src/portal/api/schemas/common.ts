// This folder has the contract of the JSON API: what its routes take and answer, a file for each subject, and here what
// they share. `openapi.ts` describes the API with these schemas, and the page uses their types.

import { type Static, type TSchema, Type } from 'typebox'
import { nameLengthMax, nameRule, plainPattern } from '../../../registry/name.ts'

/** Shared parts of the JSON API's schemas. Bodies are closed: an unknown member is an error. */
export function closed<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false })
}

/** One of these texts. */
export function oneOf<const Text extends string>(
  texts: readonly Text[],
  options: { readonly description?: string } = {},
) {
  return Type.Unsafe<Text>(
    Type.Union(
      texts.map((text) => Type.Literal(text)),
      options,
    ),
  )
}

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** `{items, next?}`; `next` is the value of `after` for the following piece and absent at the end. */
export function listOf<Schema extends TSchema>(item: Schema) {
  return closed({ items: Type.Array(item), next: Type.Optional(Type.String()) })
}

export const Id = Type.String({ format: 'uuid' })
/** ISO 8601 in UTC with milliseconds. */
export const Instant = Type.String({ format: 'date-time' })

/** A name that a developer typed. Stored without the spaces around it. */
export const Name = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: plainPattern,
  description: nameRule,
})

/**
 * ASCII only, so that no other address looks like it; upper and lower case are
 * the same address. Our choice, narrower than RFC 5321.
 */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern:
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$",
  description: 'an address such as ada@example.com, ASCII only',
})

/** A new password; the handler checks its strength. */
export const NewPassword = Type.String({
  minLength: 15,
  maxLength: 256,
  description: '15 to 256 characters',
})
/** An existing password: any text, so that the answer does not reveal which rules applied to it. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 256 })

/** The id of an operation, see `Operation.id`. */
export const operationIdPattern = '^[A-Za-z0-9._-]{1,128}$'

/** The token of a mail link: 43 characters base64url, 256 bits. */
export const Token = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })

/** How many items a piece of a list has at most. Numbers of a query arrive as text. */
export const ListLimit = Type.String({
  pattern: '^([1-9]|[1-9][0-9]|100)$',
  description: '1 to 100',
})

/** Query of a list. */
export const ListQuery = closed({ limit: Type.Optional(ListLimit), after: Type.Optional(Id) })

/** No body at all. */
export const Empty = Type.Null()

/** `application/problem+json` (RFC 9457), as every error of Tollgate is. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
  instance: Type.String(),
  code: Type.String(),
  help: Type.Optional(Type.String({ description: 'page that explains the code' })),
  rule: Type.Optional(Type.String({ description: 'names the rule that the change would break' })),
  errors: Type.Optional(
    Type.Array(
      closed({
        path: Type.String({ description: 'JSON pointer into the input' }),
        rule: Type.String({ description: 'what it must be' }),
      }),
    ),
  ),
})
export type Problem = Static<typeof Problem>
