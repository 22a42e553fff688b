import { appendFileSync } from 'node:fs'

/** Puts a measured figure into the line of this run in proofs/runs.md, as "0 of 50,000 calls failed". */
export function figure(text: string): void {
  const file = process.env['PROOF_FIGURES']
  if (file === undefined) process.stdout.write(`# ${text}\n`)
  else appendFileSync(file, `${text.replaceAll('\n', ' ')}\n`)
}
