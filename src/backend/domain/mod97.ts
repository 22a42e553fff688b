/**
 * Whether the check digits of a text of digits and letters are right (ISO 7064,
 * MOD 97-10), once they were moved to its end. Letters count as two digits,
 * whatever their case: A is 10, Z is 35.
 */
export function isCheckedBy97(text: string): boolean {
  const number = [...text].map((character) => Number.parseInt(character, 36)).join('')
  return BigInt(number) % 97n === 1n
}
