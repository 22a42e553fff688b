import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { changedSince, guardsChanged } from '../../proofs/changed.ts'
import { readRequest } from '../../proofs/request.ts'
import { proofs } from '../../proofs/table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const all = Object.entries(proofs)
const names = Object.keys(proofs)

t.test(
  'every file of proofs/ that runs by itself is a proof, and every proof is a file',
  async (t) => {
    const files = globSync('proofs/**/*.test.ts', { cwd: root }).toSorted()
    const run = all.flatMap(([, { command }]) =>
      [true, false].flatMap((isWhole) => command({ seed: '7', isWhole })),
    )
    t.same(
      files.filter((file) => !run.includes(file)),
      [],
    )
    const programs = run.filter((word) => word.endsWith('.ts'))
    t.same(
      programs.filter((file) => !existsSync(join(root, file))),
      [],
    )
  },
)

t.test('what a proof guards exists, and every room of the house is guarded', async (t) => {
  const guards = all.flatMap(([name, { guards, own }]) =>
    [...guards, own].map((path) => [name, path]),
  )
  t.same(
    guards.filter(([, path = '']) => !existsSync(join(root, path))),
    [],
  )
  const rooms = globSync(['src/*/', 'src/gateway/*/'], { cwd: root }).filter(
    (room) => room !== 'src/gateway',
  )
  const paths = guards.map(([, path = '']) => path)
  t.same(
    rooms.filter((room) => !paths.some((path) => `${path}/`.startsWith(`${room}/`))),
    [],
  )
})

t.test('a proof has a share if, and only if, its sizes are taken from one', async (t) => {
  const wrong = all.filter(([, { own, hasShare, isProgram }]) => {
    if (isProgram) return false
    return hasShare !== readFileSync(join(root, own), 'utf8').includes('proofSize(')
  })
  t.same(
    wrong.map(([name]) => name),
    [],
  )
})

t.test('names, options and arguments for a program are told apart', async (t) => {
  const read = (line: string) => readRequest(line.split(' '), names)
  t.match(read('stop in-step --whole --seed 7'), {
    names: ['stop', 'in-step'],
    isWhole: true,
    seed: '7',
    args: [],
  })
  t.match(read('bench --section tls --seed 7'), {
    names: ['bench'],
    isWhole: false,
    seed: '7',
    args: ['--section', 'tls'],
  })
  t.same(read('all').names, names)
  t.match(read('--changed main~3'), { names: [], changedSince: 'main~3' })
})

t.test('a request that cannot be fulfilled is refused with what is possible', async (t) => {
  const messageOf = (...words: string[]) => {
    try {
      readRequest(words, ['stop', 'bench'])
      return ''
    } catch (error) {
      return String(error)
    }
  }
  t.match(messageOf('stopp'), 'There is no proof "stopp". There are: all, stop, bench.')
  t.match(messageOf('--seed', 'x', 'stop'), '--seed takes a whole number, not "x".')
  t.match(messageOf('--seed'), '--seed takes a value (e.g. --seed 7).')
  t.match(messageOf('--changed', 'main', 'stop'), '--changed chooses the proofs itself')
  t.match(messageOf('stop', 'bench', '--section'), '--section is for a single proof')
  t.match(messageOf('--section', 'tls'), '--section tls is for a single proof')
})

t.test('--changed finds what was committed, changed and added since a revision', async (t) => {
  const folder = t.testdir({ 'kept.ts': '1', 'moved.ts': '2', 'edited.ts': '3' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: folder,
      stdio: 'ignore',
    })
  git('init')
  git('add', '.')
  git('commit', '-m', 'first')
  git('mv', 'moved.ts', 'elsewhere.ts')
  git('commit', '-m', 'second')
  writeFileSync(join(folder, 'edited.ts'), '4')
  mkdirSync(join(folder, 'new'))
  writeFileSync(join(folder, 'new', 'file.ts'), '5')
  t.same(changedSince('HEAD~1', folder).toSorted(), [
    ...['edited.ts', 'elsewhere.ts', 'moved.ts', 'new/file.ts'],
  ])
  t.throws(() => changedSince('nothing', folder), {
    message: 'git knows no revision "nothing" (e.g. --changed main).',
  })
})

t.test(
  'a proof guards its folders and its own file, and no folder that begins alike',
  async (t) => {
    const stop = proofs['stop']
    if (stop === undefined) throw new Error('no proof "stop"')
    t.ok(guardsChanged(stop, ['src/gateway/edge/run-call.ts']))
    t.ok(guardsChanged(stop, ['proofs/long/stop.test.ts']))
    t.notOk(guardsChanged(stop, ['src/gateway/edge-of-the-world/run-call.ts', 'README.md']))
  },
)

t.test('without a name the proofs are listed, each with its last run', async (t) => {
  const text = execFileSync(process.execPath, ['proofs/prove.ts'], { cwd: root, encoding: 'utf8' })
  const left = all.filter(
    ([name, { shows }]) => !text.includes(`\n${name} `) || !text.includes(shows),
  )
  t.same(left, [])
  t.match(text, /\n +held 2026-\d\d-\d\d, whole, in \d+ s\n/)
})
