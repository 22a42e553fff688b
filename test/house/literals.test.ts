import { globSync, readFileSync } from 'node:fs'
import t from 'tap'

/** A literal that is spread at once: written so that the formatter keeps it in a line. */
const dodge = /\.\.\.\{|\.\.\.\[[^[\]]*\](?=\s*[,)\]}])/g

t.test('no literal is spread into another to please the formatter', async (t) => {
  const files = globSync('{src,test,proofs,release,bin}/**/*.{ts,tsx,js}', {
    exclude: ['test/fixtures/**', 'test/house/literals.test.ts'],
  })
  t.ok(files.length > 1_000, `${files.length} files`)
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return Array.from(text.matchAll(dodge), ({ index }) => {
      const line = text.slice(0, index).split('\n').length
      return `${file}:${line} spreads a literal: write its members, which the type then checks`
    })
  })
  t.same(found, [])
})
