import type { CallsQuery } from '../../portal/api/schemas/usage.ts'

/** Which calls of an application a list shows: those that have every value given here. */
export type CallFilter = Pick<CallsQuery, 'status' | 'outcome' | 'operation' | 'keyId'>
