import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workbench.ts'

/** Options of Node with which the program serves. */
export const servingOptions: readonly string[] = JSON.parse(
  readFileSync(join(root, 'bin', 'node-options.json'), 'utf8'),
)
