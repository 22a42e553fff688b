import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

const root = realpathSync(join(import.meta.dirname, '../../..'))

/**
 * How a person in a folder starts this program: npx finds it in the program's own
 * folder and where it was installed; elsewhere it would fetch some other package.
 */
export function commandName(folder = process.cwd()): 'npx tollgate' | 'tollgate' {
  const isFound = realpathSync(folder) === root || existsSync(join(folder, 'node_modules/tollgate'))
  return isFound ? 'npx tollgate' : 'tollgate'
}
