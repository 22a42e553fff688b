import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { proofs } from '../../proofs/table.ts'
import { dueProofs } from '../../release/due-proofs.ts'

const names = Object.keys(proofs).filter((name) => !name.startsWith('bench'))

function makeRepository(t: Test) {
  const root = t.testdir({ proofs: { 'runs.md': '' }, deploy: { postgres: { 'roles.sql': '' } } })
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.example', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
  git('init', '--quiet')
  const commit = (): string => {
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', 'one')
    return git('rev-parse', '--short=8', 'HEAD')
  }
  return {
    root,
    commit,
    write(path: string, text: string): void {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    record(runs: readonly (readonly [name: string, commit: string, result: string])[]): void {
      const rows = runs.map(
        ([name, at, result]) =>
          `| 2026-12-01 | ${at} | ${name} | share | 1 | 1 s | 2 | – | ${result} |`,
      )
      writeFileSync(join(root, 'proofs', 'runs.md'), `${rows.join('\n')}\n`)
    },
  }
}

t.test(
  'a release needs every proof but the bench to have held since what it guards changed',
  async (t) => {
    const { root, commit, write, record } = makeRepository(t)
    const tags = ['v0.2.0']
    t.same(dueProofs(root, tags), names, 'none has run')
    const held = commit()
    const all = names.map((name) => [name, held, 'held'] as const)
    record(all)
    t.same(dueProofs(root, tags), [])

    record([
      ...all,
      ['stop', held, '**failed**'],
      ['log', `${held}+`, 'held'],
      ['move', '–', 'held'],
    ])
    t.same(
      dueProofs(root, tags),
      ['stop', 'move', 'log'],
      'failed, with other files, and of no commit',
    )
    record([...all, ['stop', held, '**failed**'], ['stop', held, 'held']])
    t.same(dueProofs(root, tags), [], 'the last run counts')

    write('deploy/postgres/roles.sql', 'select 1')
    const due = dueProofs(root, tags)
    t.ok(
      due.includes('kubernetes') && due.includes('compose') && !due.includes('leaks'),
      due.join(),
    )
    write('deploy/postgres/roles.sql', '')
    t.same(dueProofs(root, tags), [])
  },
)

t.test('the first release needs no proof of an upgrade', async (t) => {
  const { root } = makeRepository(t)
  t.notOk(dueProofs(root, ['']).includes('upgrade'))
})
