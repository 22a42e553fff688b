import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { changedSince, guardsChanged, isGuarded } from '../../proofs/changed.ts'
import { ownFiles } from '../../proofs/own-files.ts'
import { readRequest } from '../../proofs/request.ts'
import { addRun, lastRuns } from '../../proofs/runs.ts'
import { proofs } from '../../proofs/table.ts'
import { sourceFiles } from '../../release/source-files.ts'
import { until } from '../support/until.ts'

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

t.test('what a proof guards exists', async (t) => {
  const guards = all.flatMap(([name, { guards }]) => guards.map((guard) => ({ name, guard })))
  t.same(
    guards.filter(({ guard }) => globSync(guard, { cwd: root }).length === 0),
    [],
  )
})

/** Files and folders without a proof, each with the reason or the test that is enough. */
const unguarded: Readonly<Record<string, string>> = {
  'deploy/compose.monitoring.yaml': 'nothing here runs Grafana; test/documents/compose-schema',
  'deploy/give-secrets.sh': 'test/documents/systemd runs it',
  'deploy/haproxy-client-certificates.cfg': 'test/edge/haproxy-client-certificates runs HAProxy',
  'deploy/systemd': 'nothing here runs systemd; test/documents/systemd reads the units',
  'deploy/tollgate.sh': 'test/documents/systemd runs it',
  'src/cli/commands': 'test/cli runs each command; a proof guards those that it is about',
  'src/cli/plan': 'test/program/plan compares configurations',
  'src/cli/publication': 'test/cli/publish',
  'src/gateway/explain.ts': 'for a command, which test/cli runs',
  'src/platform/edit-distance.ts': 'for hints in messages; test/edge/hints',
  'src/platform/log/error-code.ts': 'reads a field of an error',
  'src/platform/hidden-marks.ts': 'for names on pages and in mails; test/portal, test/backend',
  'src/platform/http/from-this-machine.ts':
    'judges a head; test/portal/mailbox, test/portal/to-local-name',
  'src/platform/http/loopback.ts': 'judges a text; test/platform/settings',
  'src/platform/process/command-name.ts': 'for hints in messages; test/platform/command-name',
  'src/platform/http/recorded-address.ts': 'shortens a text; test/platform/security-events',
  'src/platform/http/same-origins.ts':
    'judges a text; test/portal/cross-site, test/edge/cross-origin',
}

t.test('a proof guards every file of the product, or the list says why none has to', async (t) => {
  const guards = all.flatMap(([, { guards }]) => guards)
  // The package holds all of src/, so its guard says nothing of a file.
  const told = [...new Set(guards)].filter((guard) => guard !== 'src')
  const files = sourceFiles(root, ['bin', 'config', 'deploy', 'release', 'src']).filter(
    (file) => !isGuarded(file, told),
  )
  t.same(
    files.filter((file) => !isGuarded(file, Object.keys(unguarded))),
    [],
  )
  t.same(
    Object.keys(unguarded).filter((path) => !files.some((file) => isGuarded(file, [path]))),
    [],
    'a reason without a file',
  )
})

t.test('every file below proofs/ belongs to a proof, or finds and runs them', async (t) => {
  const own = new Set(all.flatMap(([, proof]) => [...ownFiles(proof)]))
  t.same(
    globSync('proofs/**/*.ts', { cwd: root })
      .filter((file) => !own.has(file))
      .toSorted(),
    [
      // `npm run lines`.
      'proofs/bench/lines.ts',
      ...['changed', 'own-files', 'prove', 'request', 'runs', 'table'].map(
        (name) => `proofs/${name}.ts`,
      ),
    ],
  )
})

t.test('a proof has a share if, and only if, its sizes are taken from one', async (t) => {
  const wrong = all.filter(([, { command, hasShare, isProgram }]) => {
    if (isProgram) return false
    const file = command({ seed: '7', isWhole: true }).at(-1) ?? ''
    return hasShare !== readFileSync(join(root, file), 'utf8').includes('proofSize(')
  })
  t.same(
    wrong.map(([name]) => name),
    [],
  )
})

t.test('names, options and arguments for a program are distinguished', async (t) => {
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
  const git = gitIn(folder)
  git('init')
  git('add', '.')
  git('commit', '-m', 'first')
  git('mv', 'moved.ts', 'elsewhere.ts')
  git('commit', '-m', 'second')
  writeFileSync(join(folder, 'edited.ts'), '4')
  mkdirSync(join(folder, 'new'))
  writeFileSync(join(folder, 'new', 'file.ts'), '5')
  t.same(changedSince('HEAD~1', folder).toSorted(), [
    'edited.ts',
    'elsewhere.ts',
    'moved.ts',
    'new/file.ts',
  ])
  t.throws(() => changedSince('nothing', folder), {
    message: 'git knows no revision "nothing" (e.g. --changed main).',
  })
})

t.test('a file is found whatever its name holds', async (t) => {
  const names = ['a space.ts', 'kürzel.ts', 'a "quote".ts', 'line\nend.ts']
  const folder = t.testdir(Object.fromEntries(names.map((name) => [name, '1'])))
  const git = gitIn(folder)
  git('init')
  git('commit', '--allow-empty', '-m', 'first')
  t.same(changedSince('HEAD', folder).toSorted(), names.toSorted(), 'new')
  git('add', '.')
  git('commit', '-m', 'second')
  t.same(changedSince('HEAD~1', folder).toSorted(), names.toSorted(), 'committed')
})

t.test('a proof guards its folders, and no folder that begins alike', async (t) => {
  t.ok(selected('src/gateway/edge/run-call.ts').includes('stop'))
  t.notOk(selected('src/gateway/edge-of-the-world/run-call.ts').includes('stop'))
  t.ok(selected('src/registry/keys/key-cache.ts').includes('flood'))
  t.notOk(selected('src/registry/audit/key-cache.ts').includes('flood'))
})

t.test('a change of what runs a proof selects it, however far from its own file', async (t) => {
  t.same(selected('proofs/long/stop.test.ts'), ['stop'])
  const ofFleet = selected('test/support/fleet.ts')
  t.ok(ofFleet.includes('many-processes'), 'it imports it')
  t.ok(ofFleet.includes('bench'), 'a file that it imports does')
  for (const name of ['redis-outage', 'slow-callers', 'bank-model']) t.notOk(ofFleet.includes(name))
  t.same(selected('proofs/faults/ledger.ts'), ['faults'], 'a program that it starts')
  t.same(selected('proofs/simulation/worker.ts'), ['simulate'], 'a thread that it starts')
  t.ok(selected('proofs/bench/wrk.lua').includes('bench'), 'a script that it hands on')
  t.same(selected('proofs/attacks/share.test.ts'), ['attacks'], 'the file of its share')
  t.same(selected('proofs/bench/soak.ts'), ['bench-soak'], 'not what lies beside it')
})

t.test(
  'a line in proofs/runs.md selects no proof, and a test only what runs all tests',
  async (t) => {
    t.same(selected('proofs/runs.md', 'README.md'), [])
    t.same(selected('test/proofs/prove.test.ts'), ['without-services'])
  },
)

/** Names of the proofs that guard one of the paths. */
function selected(...changed: readonly string[]): readonly string[] {
  return all.filter(([, proof]) => guardsChanged(proof, changed)).map(([name]) => name)
}

t.test('without a name the proofs are listed, each with its last run', async (t) => {
  const text = execFileSync(process.execPath, ['proofs/prove.ts'], { cwd: root, encoding: 'utf8' })
  const left = all.filter(
    ([name, { shows }]) => !text.includes(`\n${name} `) || !text.includes(shows),
  )
  t.same(left, [])
  t.match(text, /\n +held \d{4}-\d\d-\d\d, whole, in \d+ s\n/)
})

t.test('a run replaces the line of the same proof and size, and no other', async (t) => {
  const row = (name: string, size: string, figure: string) =>
    ['2026-11-30', 'abcdef01', name, size, 7, '1 s', 2, figure, 'held'] as const
  const folder = t.testdir({ proofs: { 'runs.md': '# Proofs\n\n| Date | … |\n|---|---|\n' } })
  addRun(folder, row('stop', 'whole', 'first'))
  addRun(folder, row('stop', 'share', 'share'))
  addRun(folder, row('recover', 'whole', 'other'))
  addRun(folder, row('stop', 'whole', 'second'))
  const text = readFileSync(join(folder, 'proofs', 'runs.md'), 'utf8')
  t.same(
    text.match(/(?:first|share|other|second) \| held \|$/gm)?.map((cell) => cell.split(' ', 1)[0]),
    ['share', 'other', 'second'],
  )
  t.match(text, /^# Proofs\n\n\| Date \| … \|\n\|---\|---\|\n\| 2026/)
  t.same([...lastRuns(folder).keys()].toSorted(), ['recover', 'stop'])
})

t.test('a terminated run ends its proof, and adds no line', async (t) => {
  const record = join(root, 'proofs', 'runs.md')
  const before = readFileSync(record, 'utf8')
  const run = spawn(process.execPath, ['proofs/prove.ts', 'simulate', 'prove-command'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  run.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const closed = once(run, 'close')
  await until('the proof begins', () => output.includes('simulate: '))
  run.kill('SIGTERM')
  // It closes when the proof, which shares its output, has ended too.
  t.same(await closed, [1, null])
  t.match(output, /\nsimulate: ended by SIGTERM\n$/)
  t.equal(readFileSync(record, 'utf8'), before)
})

function gitIn(folder: string): (...args: readonly string[]) => void {
  return (...args) => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: folder,
      stdio: 'ignore',
    })
  }
}
