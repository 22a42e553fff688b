import { setTimeout as delay } from 'node:timers/promises'
import { CatalogueError } from './catalogue-error.ts'
import { folderState } from './folder-state.ts'

const triesMax = 5
const pauseMs = 200

/**
 * Runs a load until no file of the folder has changed meanwhile: each file may
 * be sound, and the mixture of old and new ones still be a configuration that
 * was never meant.
 *
 * @throws what the last load threw, or {@link CatalogueError} when the files keep changing
 */
export async function whileUnchanged<Result>(
  configDir: string,
  load: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const before = await folderState(configDir)
    const [loaded] = await Promise.allSettled([load()])
    if ((await folderState(configDir)) === before) {
      if (loaded.status === 'rejected') throw loaded.reason
      return loaded.value
    }
    await delay(pauseMs)
  }
  throw new CatalogueError([
    {
      file: configDir,
      line: 1,
      rule: 'configuration-changing',
      message: 'the files change while they are read; try again when they are complete',
    },
  ])
}
