import type { FastifyError } from 'fastify'
import { StoreUnavailableError } from '../../gateway/counters/store-unavailable.ts'
import { isOutage } from '../../platform/database/database.ts'
import type { Refusal } from '../../platform/http/problem.ts'
import {
  RegistryConflict,
  RegistryInputInvalid,
  RegistryNotFound,
} from '../../registry/registry-errors.ts'
import { notFound, PortalError } from './portal-error.ts'

/**
 * Translates an error thrown by a route into the refusal for the client;
 * undefined means a bug. The only place that knows the errors of the stores and
 * the framework.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof PortalError) return error.refusal
  if (error instanceof RegistryNotFound) return notFound().refusal
  if (error instanceof RegistryConflict) {
    const { message, rule, limit } = error
    const members = { rule, ...(limit === undefined ? {} : { limit }) }
    return { code: 'CONFLICT', detail: `${sentence(message)}.`, members }
  }
  if (error instanceof RegistryInputInvalid) {
    const rule = error.message.replace(/^\S+ must be /, '')
    return inputRefusal([{ path: `/${error.field}`, rule }])
  }
  if (error instanceof StoreUnavailableError) {
    const detail = 'The portal cannot read the counters at the moment.'
    return { code: 'COUNTERS_UNAVAILABLE', detail, headers: { 'retry-after': '2' } }
  }
  if (isOutage(error)) return { code: 'STORE_UNAVAILABLE', headers: { 'retry-after': '2' } }
  return isFastifyError(error) ? frameworkRefusal(error) : undefined
}

interface InputFault {
  readonly path: string
  readonly rule: string
}

function inputRefusal(errors: readonly InputFault[]): Refusal {
  const detail = errors.map(({ path, rule }) => `${path || 'the body'} must be ${rule}`).join('; ')
  return { code: 'INPUT_INVALID', detail, members: { errors } }
}

function frameworkRefusal(error: FastifyError): Refusal | undefined {
  if (error.validation !== undefined) {
    return inputRefusal(error.validation.map((fault) => faultOf(fault)))
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'BODY_TOO_LARGE', detail: 'The portal accepts bodies of at most 64 KiB.' }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return inputRefusal([{ path: '', rule: 'sent as application/json' }])
    // The path names a folder or nothing.
    case 'ENOENT':
    case 'EISDIR':
      return notFound().refusal
    default:
      // Malformed JSON, `__proto__`, an empty or cut body: the parser's words may repeat the input.
      return error.statusCode !== undefined && error.statusCode < 500
        ? inputRefusal([{ path: '', rule: 'one well-formed JSON document' }])
        : undefined
  }
}

/** One fault of the validator (Ajv) in plain words: which member, and what it must be. */
function faultOf(fault: NonNullable<FastifyError['validation']>[number]): InputFault {
  const { instancePath, keyword, params, message } = fault
  if (keyword === 'additionalProperties') {
    const member = String(params['additionalProperty'])
    return { path: `${instancePath}/${pointer(member)}`, rule: 'left out: there is no such member' }
  }
  if (keyword === 'required') {
    return { path: `${instancePath}/${pointer(String(params['missingProperty']))}`, rule: 'given' }
  }
  const described = describedRule(fault)
  return { path: instancePath, rule: described ?? message?.replace(/^must (be )?/, '') ?? 'valid' }
}

/** The description of a schema is clearer than its keywords. */
function describedRule(fault: object): string | undefined {
  if (!('parentSchema' in fault) || typeof fault.parentSchema !== 'object') return undefined
  const schema = fault.parentSchema
  if (schema === null || !('description' in schema)) return undefined
  return typeof schema.description === 'string' ? schema.description : undefined
}

function pointer(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1')
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
