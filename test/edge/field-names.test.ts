import t from 'tap'
import { fieldName } from '../../src/gateway/edge/request/field-names.ts'

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
