/** A number of calls in words: "1 call", "250 calls". */
export function callCount(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`
}
