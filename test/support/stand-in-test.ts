import type { Test } from './database.ts'

/** What a program gives to functions that want a test: it keeps what is to be undone until `end` is called. */
export interface StandInTest extends Test {
  /** Undoes everything, the newest first. */
  end(): Promise<void>
}

export function standInTest(): StandInTest {
  const undo: (() => unknown)[] = []
  return {
    teardown: (step) => void undo.push(step),
    comment: (...texts) => void process.stderr.write(`${texts.join(' ')}\n`),
    async end() {
      for (const step of undo.toReversed()) await step()
    },
  }
}
