import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { formats, keywords } from '../../src/catalogue/openapi-shape.ts'
import { annotations } from '../../src/catalogue/reference.ts'

/**
 * Beside the annotations: what JSON Schema itself defines as telling and not judging, and what only repeats the alternatives
 * beside it.
 */
const unchecked = new Set([
  ...annotations,
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'discriminator',
])

t.test('every format that is let through is checked by the validator', (t) => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  for (const format of formats) {
    t.doesNotThrow(() => ajv.compile({ type: ['string', 'number'], format }), format)
  }
  t.throws(() => ajv.compile({ type: 'string', format: 'datum' }))
  t.end()
})

t.test('every accepted keyword is known to the validator or informs a reader', (t) => {
  const ajv = new Ajv2020()
  for (const keyword of Object.keys(keywords)) {
    // These stand for a keyword with its partner: Ajv reads them together.
    const isPartner = ['minContains', 'maxContains', 'then', 'else', '$defs', '$ref'].includes(
      keyword,
    )
    t.ok(isPartner || unchecked.has(keyword) || ajv.getKeyword(keyword), keyword)
  }
  t.end()
})
