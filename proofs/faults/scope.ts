import type { Test } from '../../test/support/database.ts'

/** What is undone at its end, the last thing first. */
export interface Scope extends Test {
  end(): Promise<void>
}

export function createScope(): Scope {
  const undos: (() => unknown)[] = []
  return {
    teardown: (undo) => void undos.push(undo),
    comment: (...texts) => void process.stderr.write(`${texts.join(' ')}\n`),
    async end() {
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo()
    },
  }
}
