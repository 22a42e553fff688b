import t from 'tap'
import { BodyPieces } from '../../src/gateway/edge/request/body-pieces.ts'
import type { Refusal } from '../../src/platform/http/problem.ts'

const bytesMax = 1_048_576

/** Adds chunks of these lengths; returns what was added, the pieces and the octets reserved for them. */
function gather(lengths: readonly number[], reserve: (octets: number) => Refusal | undefined) {
  let reserved = 0
  const pieces = new BodyPieces(bytesMax, (octets) => {
    reserved += octets
    return reserve(octets)
  })
  const chunks = lengths.map((length, at) => Buffer.alloc(length, at + 1))
  const refusals = chunks.map((chunk) => pieces.add(chunk))
  return { chunks, refusals, ended: pieces.end(), length: pieces.length, reserved }
}

const always = () => undefined
const bodies = {
  'one small chunk': [7],
  'octet by octet': Array.from({ length: 9_000 }, () => 1),
  'large chunks': [65_536, 34_464],
  'small chunks among large ones': [10, 65_536, 4_095, 4_096, 1, 1, 50_000, 3],
  'chunks as large as the room that is left': [1_000, 3_096, 4_095, 1, 100],
  'no chunk': [],
}

for (const [name, lengths] of Object.entries(bodies)) {
  t.test(`${name}: the same octets in the same order`, async (t) => {
    const { chunks, ended, length } = gather(lengths, always)
    t.equal(length, Buffer.concat(chunks).length)
    t.ok(Buffer.concat([...ended]).equals(Buffer.concat(chunks)))
  })
}

t.test('a large chunk is kept, not copied', async (t) => {
  const { chunks, ended } = gather([100, 65_536], always)
  t.equal(ended[1], chunks[1])
})

t.test('small chunks share buffers, and reserve at most twice their octets', async (t) => {
  const { ended, reserved, length } = gather(bodies['octet by octet'], always)
  t.ok(ended.length <= 3, `${ended.length} pieces`)
  t.ok(reserved <= 2 * length, `${reserved} octets reserved for ${length}`)
})

t.test('a chunk without memory is refused and not added', async (t) => {
  const overloaded: Refusal = { code: 'OVERLOADED' }
  const { refusals, length, ended } = gather([4_096, 5_000], (octets) =>
    octets > 4_096 ? overloaded : undefined,
  )
  t.strictSame(refusals, [undefined, overloaded])
  t.equal(length, 4_096)
  t.equal(ended.length, 1)
})
