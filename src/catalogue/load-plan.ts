import { isLanguage, type Language, languages } from '../messages/language.ts'
import type { Json, JsonObject, Limit, LimitScope, OutagePolicy, Plan } from './catalogue.ts'
import { isJsonArray, isJsonObject } from './json.ts'
import { readMapping, type Sources } from './source.ts'
import { isVersionLabel } from './version-label.ts'
import { parseTimeZone, parseWindow } from './window-length.ts'

/** A plan that is sound, with the places of its `apis` for what only the whole catalogue can show. */
export interface LoadedPlan {
  readonly plan: Plan
  /** The plan beside which this one is counted; undefined: it is offered itself. */
  readonly rehearses: string | undefined
  /** The mapping of the file. */
  readonly at: object
  /** The list `apis` as it was read, to report faults of its items at. */
  readonly apisAt: object
}

const scopes = ['operation', 'plan'] as const satisfies readonly LimitScope[]
const modes = ['enforce', 'observe', 'rehearse'] as const
const outagePolicies = ['local-share', 'deny', 'allow'] as const satisfies readonly OutagePolicy[]
const callsMax = 1_000_000_000

/**
 * Reads one plan and reports everything that is wrong with it.
 *
 * @param path of the file, below the folder of the configuration
 * @returns undefined when anything was wrong
 */
export function loadPlan(sources: Sources, path: string, name: string): LoadedPlan | undefined {
  const problemsBefore = sources.problems.length
  const file = readMapping(sources, path, 'plan-member-type')
  if (file === undefined) return undefined
  const read = createReader(sources, file, 'plan')
  read.knows([
    'title',
    'description',
    'apis',
    'timeZone',
    'limits',
    'mode',
    'onStoreOutage',
    'rehearses',
  ])
  const title = read.localText('title')
  const description = file['description'] === undefined ? { en: '' } : read.localText('description')
  const mode = read.choice('mode', modes, 'plan-mode')
  const rehearses = mode === 'rehearse' ? read.text('rehearses', 'plan-rehearses') : undefined
  if (mode !== 'rehearse' && file['rehearses'] !== undefined) {
    const message = 'has no effect: only a plan with mode: rehearse is counted beside another one'
    sources.report({ rule: 'plan-rehearses', at: file, member: 'rehearses', message })
  }
  const onStoreOutage = read.choice('onStoreOutage', outagePolicies, 'plan-outage')
  const apis = readPatterns(sources, file)
  const limits = readLimits(sources, file, readTimeZone(sources, file))
  if (sources.problems.length > problemsBefore) return undefined
  if (title === undefined || description === undefined) return undefined
  if (mode === undefined || onStoreOutage === undefined) return undefined
  if (apis === undefined || limits === undefined) return undefined
  const areOnClock = limits.every(({ windowLength }) => typeof windowLength === 'number')
  if (file['timeZone'] !== undefined && areOnClock) {
    const message = 'has no effect: no limit of this plan has a calendar window (P1D or P1M)'
    sources.report({ rule: 'plan-time-zone', at: file, member: 'timeZone', message })
    return undefined
  }
  return {
    plan: {
      name,
      title: title.en,
      description: description.en,
      apis: apis.patterns,
      limits,
      onStoreOutage,
      mode: mode === 'rehearse' ? 'observe' : mode,
      translations: translationsOf(title, description),
    },
    rehearses,
    at: file,
    apisAt: apis.at,
  }
}

/** A text in English and perhaps in other languages. */
type LocalText = { readonly en: string } & Readonly<Partial<Record<Language, string>>>

function localText(value: Json): LocalText | undefined {
  if (!isJsonObject(value)) return undefined
  const texts = Object.entries(value).flatMap(([language, text]) =>
    isLanguage(language) && typeof text === 'string' && text !== '' ? [[language, text]] : [],
  )
  const { en, ...others }: Partial<Record<Language, string>> = Object.fromEntries(texts)
  if (en === undefined || texts.length < Object.keys(value).length) return undefined
  return { ...others, en }
}

function translationsOf(
  title: LocalText,
  description: LocalText,
): NonNullable<Plan['translations']> {
  const others = languages.filter((language) => language !== 'en')
  return Object.fromEntries(
    others.flatMap((language) => {
      const texts = { title: title[language], description: description[language] }
      const known = Object.entries(texts).filter(([, text]) => text !== undefined)
      return known.length === 0 ? [] : [[language, Object.fromEntries(known)]]
    }),
  )
}

function readPatterns(
  sources: Sources,
  file: JsonObject,
): { readonly patterns: readonly string[]; readonly at: object } | undefined {
  const at = file['apis']
  if (at === undefined) return missing(sources, file, 'apis', '[xs2a@*]')
  if (!isJsonArray(at) || at.length === 0) {
    const message = 'must be a list of <api>@<version>, at least one'
    sources.report({ rule: 'plan-member-type', at: file, member: 'apis', message })
    return undefined
  }
  const patterns: string[] = []
  for (const [member, value] of at.entries()) {
    const [, version = ''] =
      typeof value === 'string' ? (/^[a-z][a-z0-9-]*@(.+)$/.exec(value) ?? []) : []
    if (version === '*' || isVersionLabel(version)) patterns.push(String(value))
    else {
      const message = `${show(value)} is not <api>@<version> or <api>@*`
      sources.report({ rule: 'plan-api-pattern', at, member, message, example: 'xs2a@1.7.0' })
    }
  }
  return { patterns, at }
}

/**
 * The time zone of the plan's calendar windows; undefined when it has none.
 * UTC instead of a faulty one, because that is reported once and not for each limit.
 */
function readTimeZone(sources: Sources, file: JsonObject): string | undefined {
  const name = file['timeZone']
  if (name === undefined) return undefined
  const timeZone = typeof name === 'string' ? parseTimeZone(name) : undefined
  if (timeZone === undefined) {
    const message = `${show(name)} is not a time zone of the IANA database`
    const example = 'Europe/Berlin'
    sources.report({ rule: 'plan-time-zone', at: file, member: 'timeZone', message, example })
  }
  return timeZone ?? 'UTC'
}

function readLimits(
  sources: Sources,
  file: JsonObject,
  timeZone: string | undefined,
): readonly Limit[] | undefined {
  const list = file['limits']
  if (list === undefined || (isJsonArray(list) && list.length === 0)) {
    const place = list === undefined ? { at: file } : { at: file, member: 'limits' }
    const message = 'a plan has at least one limit'
    const example = 'limits: [{ name: default, calls: 100, window: PT1H, scope: operation }]'
    sources.report({ rule: 'plan-limits', ...place, message, example })
    return undefined
  }
  if (!isJsonArray(list)) {
    sources.report({
      rule: 'plan-member-type',
      at: file,
      member: 'limits',
      message: 'must be a list',
    })
    return undefined
  }
  const limits: Limit[] = []
  for (const [member, value] of list.entries()) {
    if (!isJsonObject(value)) {
      sources.report({ rule: 'plan-member-type', at: list, member, message: 'must be a mapping' })
      continue
    }
    const limit = readLimit(sources, value, timeZone)
    if (limit === undefined) continue
    if (limits.some(({ name }) => name === limit.name)) {
      const message = `${show(limit.name)} is the name of an earlier limit of this plan`
      sources.report({ rule: 'limit-duplicate', at: value, member: 'name', message })
    }
    limits.push(limit)
  }
  return limits
}

function readLimit(
  sources: Sources,
  at: JsonObject,
  timeZone: string | undefined,
): Limit | undefined {
  const read = createReader(sources, at, 'limit')
  read.knows(['name', 'calls', 'window', 'scope', 'advertise'])
  const scope = read.choice('scope', scopes, 'limit-scope')
  const name = read.parsed(
    'name',
    'limit-name',
    parseToken,
    'is not a token of RFC 9110',
    'default',
  )
  const calls = read.parsed(
    'calls',
    'limit-calls',
    parseCalls,
    `is not a whole number from 1 to ${callsMax}`,
    '100',
  )
  const isZoneMissing = at['window'] === 'P1M' && timeZone === undefined
  const windowLength = read.parsed(
    'window',
    'limit-window',
    (value) => (typeof value === 'string' ? parseWindow(value, timeZone) : undefined),
    isZoneMissing
      ? 'is a calendar month: add the time zone of the calendar to the plan'
      : 'is neither P1M nor an ISO 8601 duration of fixed length from PT1S to P365D',
    isZoneMissing ? 'timeZone: Europe/Berlin' : 'PT1H',
  )
  const isAdvertised =
    at['advertise'] === undefined ||
    read.choice('advertise', [true, false] as const, 'limit-advertise')
  if (scope === undefined || name === undefined || isAdvertised === undefined) return undefined
  if (calls === undefined || windowLength === undefined) return undefined
  return { name, calls, windowLength, scope, isAdvertised }
}

/** RFC 9110, section 5.6.2. */
function parseToken(value: Json): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(value)
    ? value
    : undefined
}

function parseCalls(value: Json): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value)
  return isCount && value >= 1 && value <= callsMax ? value : undefined
}

/** Reads the members of one mapping, each with the report its absence or its value deserves. */
function createReader(sources: Sources, at: JsonObject, thing: 'plan' | 'limit') {
  function parsed<T>(
    member: string,
    rule: string,
    parse: (value: Json) => T | undefined,
    fault: string,
    example: string,
  ): T | undefined {
    const value = at[member]
    if (value === undefined) return missing(sources, at, member, `${member}: ${example}`)
    const result = parse(value)
    if (result !== undefined) return result
    sources.report({ rule, at, member, message: `${show(value)} ${fault}`, example })
    return undefined
  }
  return {
    knows(members: readonly string[]): void {
      for (const member of Object.keys(at)) {
        if (members.includes(member)) continue
        const message = `is no member of a ${thing}; there are: ${members.join(', ')}`
        sources.report({ rule: 'plan-unknown-member', at, member, message })
      }
    },
    text: (member: string, rule: string) =>
      parsed(
        member,
        rule,
        (value) => (typeof value === 'string' && value !== '' ? value : undefined),
        'is not a text',
        'Default Plan',
      ),
    /** A text, or one for each language of the portal: `{ en: Default Plan, he: … }`. */
    localText: (member: string) =>
      parsed(
        member,
        'plan-member-type',
        (value) => (typeof value === 'string' && value !== '' ? { en: value } : localText(value)),
        'is neither a text nor texts by language',
        '{ en: Default Plan, he: תוכנית רגילה }',
      ),
    choice: <T extends string | boolean>(member: string, of: readonly T[], rule: string) =>
      parsed(
        member,
        rule,
        (value) => of.find((choice) => choice === value),
        `is not one of ${of.join(', ')}`,
        String(of[0] ?? ''),
      ),
    parsed,
  }
}

function missing(sources: Sources, at: object, member: string, example: string): undefined {
  const message = `must have the member ${member}`
  sources.report({ rule: 'plan-missing-member', at, message, example })
}

function show(value: Json): string {
  return JSON.stringify(value)
}
