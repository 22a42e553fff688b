import { type Static, type TSchema, Type } from 'typebox'

/** What every schema of the JSON API stands on. Bodies are closed: a member nobody asked for is an error, not a hint. */
export function closed<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false })
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

/**
 * A name somebody gave: 1 to 100 characters, something to see among them (not
 * only spaces, joiners, directions and other marks that draw nothing), no
 * control characters. Stored and shown as it was typed.
 */
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern:
    '^(?=[^]*[^\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800])[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$',
  description: '1 to 100 characters, something to see among them, no control characters',
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

/** A password somebody chooses; what makes it weak is told apart by the handler. */
export const NewPassword = Type.String({
  minLength: 15,
  maxLength: 256,
  description: '15 to 256 characters',
})
/** A password somebody knows: any text, so that the answer does not tell which rules it met. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 256 })

/** Of a mail link; 43 characters base64url, 256 bits. */
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
