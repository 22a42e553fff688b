import { hiddenMark } from '../../platform/hidden-marks.ts'
import { RegistryInputInvalid } from './registry-errors.ts'

/**
 * Pattern of a name of a developer, an application or a key, for a regular
 * expression with the flag `u`. Other people read these names: the customers
 * of the bank when they approve, operators, mail programs.
 */
export const namePattern =
  '^(?=[^]*[^\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800])' +
  `(?:(?!${hiddenMark})[^\\p{Cc}\\p{Cs}])*$`

export const nameLengthMax = 100

/** What a name must be; completes "must be …". */
export const nameRule = `1 to ${nameLengthMax} characters, at least one visible, no control characters, invisible marks or marks that change the text direction`

const allowed = new RegExp(namePattern, 'u')

/**
 * A name as it is stored: without spaces around it.
 *
 * @throws {RegistryInputInvalid} for a name that breaks the rule
 */
export function plainName(given: string): string {
  if ([...given].length > nameLengthMax || !allowed.test(given)) {
    throw new RegistryInputInvalid('name', nameRule)
  }
  // All that is left of white space: line breaks were refused.
  return given.trim()
}
