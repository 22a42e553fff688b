import { parseJson } from '../parse-json.ts'
import type { KnownIds } from './call-draft.ts'
import { type CallShape, isFromEarlierAnswer } from './call-shape.ts'
import { idName } from './id-name.ts'
import { linkedPath } from './linked-path.ts'

/** A call that a response leads to. */
export interface NextCall {
  readonly shape: CallShape
  /** Name of the item that the link belongs to, if the response lists several; otherwise empty. */
  readonly of: string
  readonly ids: KnownIds
  /** Values of the query, by name. */
  readonly query: Readonly<Record<string, string>>
}

/** The next steps after a response. */
export interface WaysOn {
  readonly calls: readonly NextCall[]
  /** The bank's page where the customer approves; undefined if the response names none. */
  readonly approvalPage: string | undefined
}

const callsMax = 20

/**
 * Reads the next steps from a response: its links (`_links`, including those of items in
 * lists), first those with which the customer approves, then that to its status, since it shows whether the others work
 * yet, then the calls that take one of its ids in a header. At most 20 calls; no
 * calls if the response is not JSON.
 *
 * @param shapes of all operations of the version
 */
export function waysOn(answer: string, ids: KnownIds, shapes: readonly CallShape[]): WaysOn {
  const links = linksIn(answer)
  const likeliestFirst = links.toSorted((a, b) => placeOf(a) - placeOf(b))
  const linked = likeliestFirst.flatMap(({ relation, of, href }) => {
    const call = relation === 'self' ? undefined : linkedCall(relation, href, shapes)
    return call === undefined ? [] : [{ ...call, of }]
  })
  const carrying = shapes
    .filter((shape) => carries(shape, ids) && !linked.some((each) => each.shape === shape))
    .map((shape) => ({ shape, of: '', ids, query: {} }))
  const page = links.find(({ relation, href }) => isApprovalPage(relation, href))?.href
  return {
    calls: [...linked, ...carrying].slice(0, callsMax),
    approvalPage: page,
  }
}

/** The call that a link of this relation leads to; undefined if it leads to none of these operations. */
export function linkedCall(
  relation: string,
  href: string,
  shapes: readonly CallShape[],
): NextCall | undefined {
  const target = linkedPath(href, shapes)
  const shape = target?.candidates.find(({ method }) => method === methodOf(relation))
  if (target === undefined || shape === undefined) return undefined
  return { shape, of: '', ids: target.ids, query: target.query }
}

/** Whether a link leads to the bank's page where the customer approves. */
export function isApprovalPage(relation: string, href: string): boolean {
  return relation === 'scaRedirect' && /^https?:\/\//.test(href)
}

function placeOf({ relation }: Link): number {
  if (methodOf(relation) === 'PUT') return 0
  return relation === 'status' ? 1 : 2
}

/** Berlin Group links carry no method; the name of the relation implies it. */
function methodOf(relation: string): string {
  return /^(update|select|authorise|confirm)/.test(relation) ? 'PUT' : 'GET'
}

/** Whether the call needs no other values from earlier responses than the ids, and takes one in a header. */
function carries({ parameters }: CallShape, ids: KnownIds): boolean {
  const needed = parameters.filter(isFromEarlierAnswer)
  return (
    needed.some(({ place }) => place === 'header') &&
    needed.every(({ name }) => ids[idName(name)] !== undefined)
  )
}

interface Link {
  readonly relation: string
  readonly of: string
  readonly href: string
}

function linksIn(answer: string): readonly Link[] {
  const links: Link[] = []
  const read = (value: unknown, of: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) read(item, of)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const inner = nameOf(value) ?? of
    for (const [name, member] of Object.entries(value)) {
      if (name !== '_links') read(member, inner)
      else if (typeof member === 'object' && member !== null) {
        for (const [relation, link] of Object.entries(member)) {
          const href: unknown = Reflect.get(Object(link), 'href')
          if (typeof href === 'string') links.push({ relation, of: inner, href })
        }
      }
    }
  }
  read(parseJson(answer), '')
  return links
}

function nameOf(value: object): string | undefined {
  return ['displayName', 'name', 'iban', 'maskedPan']
    .map((name): unknown => Reflect.get(value, name))
    .find((each) => typeof each === 'string')
}
