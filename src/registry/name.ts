import { hiddenMark } from '../platform/hidden-marks.ts'
import { RegistryInputInvalid } from './registry-errors.ts'

/**
 * Pattern of the name of a developer, an application or a key, and of the reason
 * of an override, for a regular expression with the flag `u`. Other people read
 * these texts: the customers of the bank when they approve, operators, mail
 * programs.
 */
export const plainPattern =
  '^(?=[^]*[^\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800])' +
  `(?:(?!${hiddenMark})[^\\p{Cc}\\p{Cs}])*$`

export const nameLengthMax = 100
export const reasonLengthMax = 500

/** What a name must be; completes "must be …". */
export const nameRule = ruleOf(nameLengthMax)
/** What a reason must be; completes "must be …". */
export const reasonRule = ruleOf(reasonLengthMax)

function ruleOf(lengthMax: number): string {
  return `1 to ${lengthMax} characters, at least one visible, no control characters, invisible marks or marks that change the text direction`
}

const allowed = new RegExp(plainPattern, 'u')

/**
 * A name as stored: without spaces around it.
 *
 * @throws {RegistryInputInvalid} for a name that breaks the rule
 */
export function plainName(given: string): string {
  if (!isPlain(given, nameLengthMax)) throw new RegistryInputInvalid('name', nameRule)
  // All that is left of white space: line breaks were refused.
  return given.trim()
}

/** @throws {RegistryInputInvalid} for a reason that breaks the rule */
export function checkReason(given: string): void {
  if (!isPlain(given, reasonLengthMax)) throw new RegistryInputInvalid('reason', reasonRule)
}

function isPlain(given: string, lengthMax: number): boolean {
  return [...given].length <= lengthMax && allowed.test(given)
}
