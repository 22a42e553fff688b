import t from 'tap'
import { generatedParts, pageWithPart } from './generated.ts'

for (const part of generatedParts) {
  t.test(`${part.page} says what the code says (npm run docs writes it)`, async (t) => {
    const { now, wanted } = await pageWithPart(part)
    t.equal(now, wanted)
  })
}
