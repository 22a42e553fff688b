import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { fieldName } from '../../src/gateway/edge/request/field-names.ts'

t.test('names a stranger makes up take little memory, however long they are', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  for (let count = 0; count < 900; count += 1) {
    // Through a buffer: one piece of memory, as the parser makes them.
    const name = Buffer.from(`X-${count}-${'a'.repeat(15_000)}`).toString('latin1')
    t.notOk(fieldName(name).isDropped)
  }
  const growth = heap() - before
  t.ok(growth < 3_000_000, `${growth} octets`)
})

t.test('a name means the same however it is spelled, known or not', async (t) => {
  for (let round = 0; round < 2; round += 1) {
    t.ok(fieldName('X-FORWARDED-Anything').isDropped)
    t.ok(fieldName(`x-Forwarded-${'a'.repeat(200)}`).isDropped)
    t.ok(fieldName('gateway_identity').hasUnderscore)
    t.ok(fieldName(`${'a'.repeat(200)}_`).hasUnderscore)
    t.equal(fieldName('HOST').role, 'host')
    for (const name of ['constructor', 'toString', 'x-plain']) t.ok(fieldName(name).isPlain)
  }
})
