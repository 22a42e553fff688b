import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** A statement that waits for a call and uses nothing of what it returns: where an await can be forgotten unseen. */
const awaitedStatement = /^(\s+)await (?=[\w.]+\()/gm

interface Diagnostic {
  readonly code: string
  readonly filename: string
  readonly labels: readonly { readonly span: { readonly line: number } }[]
}

/** Where a call is decided about. */
const decisive = 'src/gateway/{registry,counters,edge}/**/*.ts'
/** It awaits a library while it builds the listener; without that no call is forwarded at all. */
const exclude = ['src/gateway/edge/listener.ts']

/**
 * Removes every await of that kind from what decides about a call, in a copy of
 * the sources, lints these files and returns which places were changed and
 * which the lint found.
 */
function forgetAwaits(copy: string): { forgotten: string[]; found: ReadonlySet<string> } {
  for (const part of ['src', 'package.json', '.oxlintrc.json']) {
    cpSync(join(root, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const forgotten: string[] = []
  const files = globSync(decisive, { cwd: copy, exclude })
  // Only these, and what they import: the whole project takes half as long again.
  const project = { extends: join(root, 'tsconfig.json'), files, include: [] }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(project))
  for (const file of files) {
    const text = readFileSync(join(copy, file), 'utf8')
    for (const match of text.matchAll(awaitedStatement)) {
      const line = text.slice(0, match.index + match[0].length).split('\n').length
      forgotten.push(`${file}:${line}`)
    }
    writeFileSync(join(copy, file), text.replaceAll(awaitedStatement, '$1'))
  }
  const { stdout } = spawnSync(
    // Without what the test runner has every Node process load: the lint does not start with it.
    'env',
    [
      '-u',
      'NODE_OPTIONS',
      // Its threads on few cores cost more than they bring.
      'GOMAXPROCS=1',
      join(root, 'node_modules', '.bin', 'oxlint'),
      '--type-aware',
      '--format=json',
      ...files,
    ],
    { cwd: copy, encoding: 'utf8', maxBuffer: 100_000_000 },
  )
  const { diagnostics }: { diagnostics: readonly Diagnostic[] } = JSON.parse(stdout)
  const found = diagnostics
    .filter(({ code }) => code.includes('no-floating-promises'))
    .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`)
  return { forgotten, found: new Set(found) }
}

t.test('a forgotten await in what decides about a call fails the lint', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'forgotten-'))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  const { forgotten, found } = forgetAwaits(copy)
  t.ok(forgotten.length > 10, `${forgotten.length} places`)
  t.same(
    forgotten.filter((place) => !found.has(place)),
    [],
  )
})
