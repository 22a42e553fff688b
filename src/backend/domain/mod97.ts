/**
 * Whether the check digits at the end of a text of digits and letters are correct
 * (ISO 7064, MOD 97-10). Letters of either case count as two digits: A is 10, Z is 35.
 */
export function isCheckedBy97(text: string): boolean {
  const number = [...text].map((character) => Number.parseInt(character, 36)).join('')
  return BigInt(number) % 97n === 1n
}
