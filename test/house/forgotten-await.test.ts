import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** A statement that waits for a call and uses nothing of what it returns: where an await can be forgotten unseen. */
const awaitedStatement = /^(\s+)await (?=[\w.]+\()/gm

interface Diagnostic {
  readonly category: string
  readonly location: { readonly path: string; readonly start: { readonly line: number } }
}

/**
 * Removes every await of that kind from a copy of the sources, lints the copy
 * and returns which places were changed and which the lint found.
 */
function forgetAwaits(copy: string): { forgotten: string[]; found: ReadonlySet<string> } {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  const forgotten: string[] = []
  for (const file of globSync('src/**/*.ts', { cwd: copy })) {
    const text = readFileSync(join(copy, file), 'utf8')
    for (const match of text.matchAll(awaitedStatement)) {
      const line = text.slice(0, match.index + match[0].length).split('\n').length
      forgotten.push(`${file}:${line}`)
    }
    writeFileSync(join(copy, file), text.replaceAll(awaitedStatement, '$1'))
  }
  const { stdout } = spawnSync(
    join(root, 'node_modules', '.bin', 'biome'),
    [
      'lint',
      '--only=nursery/noFloatingPromises',
      '--reporter=json',
      '--max-diagnostics=none',
      copy,
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 },
  )
  const { diagnostics }: { diagnostics: readonly Diagnostic[] } = JSON.parse(stdout)
  const found = diagnostics
    .filter(({ category }) => category === 'lint/nursery/noFloatingPromises')
    .map(
      ({ location }) =>
        `${location.path.slice(location.path.indexOf('/src/') + 1)}:${location.start.line}`,
    )
  return { forgotten, found: new Set(found) }
}

t.test('a forgotten await in what decides about a call fails the lint', async (t) => {
  // Inside the tree, so that the lint's configuration applies.
  const copy = mkdtempSync(join(root, 'test', 'house', 'forgotten-'))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  const { forgotten, found } = forgetAwaits(copy)
  // create-gateway.ts awaits a library while it builds the listener; without that no call is forwarded at all.
  const decisive = forgotten.filter(
    (place) =>
      /^src\/gateway\/(?:registry|counters|edge)\//.test(place) &&
      !place.startsWith('src/gateway/edge/create-gateway.ts:'),
  )
  t.ok(decisive.length > 10, `${decisive.length} places`)
  const unseen = decisive.filter((place) => !found.has(place))
  t.same(unseen, [])
  const missed = forgotten.filter((place) => !found.has(place))
  t.comment(
    `in all of src the lint sees ${forgotten.length - missed.length} of ${forgotten.length}`,
  )
})
