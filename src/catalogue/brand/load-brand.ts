import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { languages } from '../../messages/language.ts'
import type { Json, JsonObject } from '../catalogue.ts'
import { deepFreeze, isJsonObject } from '../json.ts'
import { readMapping, type Sources } from '../source.ts'
import { notUtf8, utf8Text } from '../utf8-text.ts'
import { type Accent, accentOf, contrastMin, faintUses } from './accent.ts'
import { type Brand, type ByLanguage, type Picture, plainBrand, type Terms } from './brand.ts'
import { checkPicture, pictureBytesMax } from './check-picture.ts'
import { isHexColor } from './color.ts'
import { letterIcon } from './letter-icon.ts'

const path = 'brand.yaml'
const nameLengthMax = 60
const termsBytesMax = 262_144
const type = 'brand-member-type'

export interface LoadBrandOptions {
  readonly sources: Sources
  /** As given to {@link Sources}. */
  readonly configDir: string
}

/**
 * Reads `brand.yaml` and the files it names, and reports everything that is
 * wrong with them. A missing file, or one with only comments, means no brand.
 *
 * @returns the plain brand without a file, or when anything in the file was wrong
 */
export function loadBrand({ sources, configDir }: LoadBrandOptions): Brand {
  if (!existsSync(join(configDir, path)) || hasOnlyComments(configDir)) return plainBrand
  const problemsBefore = sources.problems.length
  const file = readMapping(sources, path, type)
  if (file === undefined) return plainBrand
  const read = createBrandReader(sources, configDir)
  read.knows(file, Object.keys(plainBrand))
  const brand: Brand = {
    name: read.texts(
      file,
      'name',
      nameOf,
      `a name of ${nameLengthMax} characters at most`,
      'Example Bank',
    ),
    logo: read.logo(file),
    icon: read.picture(file, 'icon'),
    accent: read.accent(file),
    support: read.texts(
      file,
      'support',
      contactOf,
      'an address of https: or mailto:',
      'mailto:apis@bank.example',
    ),
    terms: read.terms(file),
    privacy: read.address(file, 'privacy'),
    status: read.address(file, 'status'),
    imprint: read.address(file, 'imprint'),
  }
  if (sources.problems.length > problemsBefore) return plainBrand
  return deepFreeze({ ...brand, icon: brand.icon ?? letterIcon(brand) })
}

function hasOnlyComments(configDir: string): boolean {
  try {
    const lines = readFileSync(join(configDir, path), 'utf8').split('\n')
    return lines.every((line) => /^\s*(#|$)/.test(line))
  } catch {
    // Reported when the file is read as a source.
    return false
  }
}

/** Reads the members of the file, each with the report its value deserves. */
function createBrandReader(sources: Sources, configDir: string) {
  function report(rule: string, at: object, member: string, message: string, example?: string) {
    sources.report({ rule, at, member, message, example })
    return undefined
  }

  function knows(at: JsonObject, members: readonly string[]): void {
    for (const member of Object.keys(at)) {
      if (members.includes(member)) continue
      const message = `is no member here; there are: ${members.join(', ')}`
      report('brand-unknown-member', at, member, message)
    }
  }

  /** One value for all languages, or one for each; a missing language takes the first that is given. */
  function texts(
    at: JsonObject,
    member: string,
    parse: (text: string) => string | undefined,
    what: string,
    example: string,
  ): ByLanguage | undefined {
    const value = at[member]
    if (value === undefined) return undefined
    const one = (of: JsonObject, name: string): string | undefined => {
      const given = of[name]
      const parsed = typeof given === 'string' ? parse(given.trim()) : undefined
      return parsed ?? report(type, of, name, `${show(given)} is not ${what}`, example)
    }
    if (!isJsonObject(value)) {
      const text = one(at, member)
      return text === undefined ? undefined : everywhere(text)
    }
    knows(value, languages)
    const given = languages.filter((language) => value[language] !== undefined)
    if (given.length === 0) {
      return report(type, at, member, 'has no language', `${member}: { en: ${example} }`)
    }
    const parsed = given.flatMap((language) => {
      const text = one(value, language)
      return text === undefined ? [] : [[language, text] as const]
    })
    const [first] = parsed
    if (first === undefined) return undefined
    return { ...everywhere(first[1]), ...Object.fromEntries(parsed) }
  }

  /** A file of the configuration. @returns undefined when it was reported */
  function content(at: JsonObject, member: string, bytesMax: number): Buffer | undefined {
    const name = at[member]
    if (typeof name !== 'string' || name === '') {
      return report(type, at, member, `${show(name)} is not the name of a file`, 'logo.svg')
    }
    const below = posix.normalize(name)
    const where = posix.isAbsolute(below) ? 'outside' : sources.whereIs(below)
    if (where === 'outside') {
      return report('brand-file', at, member, `${show(name)} leads out of the configuration`)
    }
    if (where === 'missing') {
      return report('brand-file', at, member, `${show(name)} is not a file of the configuration`)
    }
    try {
      const file = join(configDir, below)
      const { size } = statSync(file)
      if (size <= bytesMax) {
        const bytes = readFileSync(file)
        sources.note(below, bytes)
        return bytes
      }
      return report(
        'brand-file',
        at,
        member,
        `${show(name)} has ${size} bytes; ${bytesMax} is the most`,
      )
    } catch {
      return report('brand-file', at, member, `${show(name)} cannot be read as a file`)
    }
  }

  function picture(at: JsonObject, member: string): Picture | undefined {
    if (at[member] === undefined) return undefined
    const bytes = content(at, member, pictureBytesMax)
    if (bytes === undefined) return undefined
    const checked = checkPicture(bytes)
    if (!('fault' in checked)) return checked
    return report('brand-picture', at, member, `${show(at[member])} ${checked.fault}`)
  }

  /** The members of something that may also be given as one text. */
  function pair(at: JsonObject, member: string, example: string): JsonObject | 'one' | undefined {
    const value = at[member]
    if (value === undefined) return undefined
    if (typeof value === 'string') return 'one'
    if (!isJsonObject(value) || value['light'] === undefined) {
      return report(type, at, member, 'must have the member light', example)
    }
    knows(value, ['light', 'dark'])
    return value
  }

  function logo(at: JsonObject): Brand['logo'] {
    const value = pair(at, 'logo', 'logo: { light: logo.svg, dark: logo-dark.svg }')
    if (value === undefined) return undefined
    if (value === 'one') {
      const only = picture(at, 'logo')
      return only && { light: only, dark: only }
    }
    const [light, dark] = [picture(value, 'light'), picture(value, 'dark')]
    return light && { light, dark: dark ?? light }
  }

  function color(at: JsonObject, member: string, scheme: 'light' | 'dark'): string | undefined {
    const value = at[member]
    if (typeof value !== 'string' || !isHexColor(value)) {
      return report(
        'brand-accent',
        at,
        member,
        `${show(value)} is not a colour #rrggbb`,
        '"#0a7180"',
      )
    }
    for (const { use, ratio, near } of faintUses(value, scheme)) {
      const shown = Math.floor(ratio * 100) / 100
      const message = `${value} ${use} has a contrast of ${shown}:1; ${contrastMin}:1 is the least`
      report('brand-accent-contrast', at, member, message, JSON.stringify(near))
    }
    return value
  }

  function accent(at: JsonObject): Accent | undefined {
    const value = pair(at, 'accent', 'accent: "#0a7180"')
    if (value === undefined) return undefined
    if (value === 'one') {
      const only = color(at, 'accent', 'light')
      return only === undefined ? undefined : accentOf(only)
    }
    const light = color(value, 'light', 'light')
    const dark = value['dark'] === undefined ? undefined : color(value, 'dark', 'dark')
    return light === undefined ? undefined : accentOf(light, dark)
  }

  const address = (at: JsonObject, member: string): ByLanguage | undefined =>
    texts(at, member, httpsOf, 'an address of https:', 'https://bank.example/privacy')

  function terms(at: JsonObject): Terms | undefined {
    const value = at['terms']
    if (value === undefined) return undefined
    const example = 'terms: { version: "2026-11", url: https://bank.example/terms }'
    if (!isJsonObject(value)) return report(type, at, 'terms', 'must be a mapping', example)
    knows(value, ['version', 'url', 'file'])
    const given = value['version']
    const version = typeof given === 'string' && /^[\w.-]{1,40}$/.test(given) ? given : undefined
    if (version === undefined) {
      const message = `${given === undefined ? 'nothing' : show(given)} is not a version of 1 to 40 letters, digits, ".", "_" and "-", as a text`
      report('brand-terms', value, 'version', message, 'version: "2026-11"')
    }
    const isUrl = value['url'] !== undefined
    if (isUrl === (value['file'] !== undefined)) {
      return report('brand-terms', at, 'terms', 'must have either url or file', example)
    }
    if (isUrl) {
      const url = address(value, 'url')
      return version === undefined || url === undefined
        ? undefined
        : { version, url, texts: undefined }
    }
    const markdown = termsTexts(value)
    return version === undefined || markdown === undefined
      ? undefined
      : { version, url: undefined, texts: markdown }
  }

  /** The texts of the files that `file` names, each reported at its own place. */
  function termsTexts(at: JsonObject): ByLanguage | undefined {
    const files = at['file']
    const of = isJsonObject(files) ? files : at
    const names = texts(at, 'file', (name) => name || undefined, 'the name of a file', 'terms.md')
    if (names === undefined) return undefined
    const given = isJsonObject(files)
      ? languages.filter((language) => files[language] !== undefined)
      : (['file'] as const)
    const read = given.flatMap((member) => {
      const bytes = content(of, member, termsBytesMax)
      const text = bytes && utf8Text(bytes)
      if (typeof text === 'string') return [[member, text] as const]
      if (text !== undefined) {
        const message = `line ${text.faultyLine} of ${show(of[member])} ${notUtf8}`
        report('text-encoding', of, member, message)
      }
      return []
    })
    const [first] = read
    if (first === undefined || read.length < given.length) return undefined
    return {
      ...everywhere(first[1]),
      ...Object.fromEntries(read.filter(([member]) => member !== 'file')),
    }
  }

  return { knows, texts, picture, logo, accent, address, terms }
}

function everywhere(text: string): ByLanguage {
  return Object.fromEntries(languages.map((language) => [language, text])) as ByLanguage
}

/** A name without what could reorder or hide the words around it. */
function nameOf(text: string): string | undefined {
  return text.length > 0 &&
    text.length <= nameLengthMax &&
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>"]/u.test(text)
    ? text
    : undefined
}

function httpsOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  const isLocal = url.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname)
  return url.protocol === 'https:' || isLocal ? url.href : undefined
}

function contactOf(text: string): string | undefined {
  return /^mailto:[A-Za-z0-9.!#$%&'*+/=^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)
    ? text
    : httpsOf(text)
}

function show(value: Json | undefined): string {
  return JSON.stringify(value ?? null)
}
