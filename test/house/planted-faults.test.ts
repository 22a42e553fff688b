import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { plantedFaults } from '../../proofs/attacks/planted.ts'

// A landing plants one of them; the others would go stale unnoticed.

t.test('every fault that the attacks plant fits the source', async (t) => {
  for (const { name, file, from } of plantedFaults) {
    const source = readFileSync(join('src', 'gateway', file), 'utf8')
    t.equal(source.split(from).length, 2, name)
  }
})
