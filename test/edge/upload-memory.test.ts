import t from 'tap'
import { createUploadMemory } from '../../src/gateway/edge/request/upload-memory.ts'

const mebibyte = 1_048_576
/** A caller may take less, but never less than this. */
const part = 4_096

/** Memory of which developers, one after the other, took all they could with ten applications each. */
function fill(developers: number) {
  const memory = createUploadMemory(64 * mebibyte)
  for (let developer = 0; developer < developers; developer += 1) {
    for (let application = 0; application < 10; application += 1) {
      const owner = {
        developerId: `developer ${developer}`,
        applicationId: `application ${developer}.${application}`,
      }
      while (memory.take(owner, part) === undefined);
    }
  }
  return memory
}

const stranger = { developerId: 'another developer', applicationId: 'another application' }

t.test('seven developers that take all they can leave 1 MiB to an eighth', async (t) => {
  t.equal(fill(7).take(stranger, mebibyte), undefined)
})

t.test('25 developers that take all they can leave room for a small body', async (t) => {
  const memory = fill(25)
  t.equal(memory.take(stranger, part), undefined)
  t.match(memory.take(stranger, mebibyte), { code: 'OVERLOADED' })
})

t.test('an application has an eighth, even after it gave everything back', async (t) => {
  const memory = fill(0)
  for (let round = 0; round < 2; round += 1) {
    t.equal(memory.take(stranger, 8 * mebibyte), undefined)
    t.match(memory.take(stranger, 1), { code: 'CONCURRENCY_EXCEEDED' })
    memory.give(stranger, 8 * mebibyte)
  }
})
