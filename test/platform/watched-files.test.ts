import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createWatchedFiles } from '../../src/platform/settings/watched-files.ts'

/** Watches the files `a` and `b`, which are valid if they begin with the same character. Checks only on request. */
async function watch(t: Test, folder: string) {
  const lines: unknown[] = []
  const log = {
    info: (...line: unknown[]) => void lines.push(line),
    error: (...line: unknown[]) => void lines.push(line),
  }
  const registry = new Registry()
  const files = createWatchedFiles({ metricsRegistry: registry, log, everyMs: 1e9 })
  t.teardown(() => files.close())
  const watched = await files.watch({
    name: 'pair',
    files: ['a', 'b'].map((name) => ({ setting: name.toUpperCase(), path: join(folder, name) })),
    parse([a, b]) {
      const pair = `${a} ${b}`
      if (pair[0] !== String(b)[0]) throw new Error('they differ')
      return pair
    },
  })
  const changes: string[] = []
  watched.onChange((value) => changes.push(value))
  const metrics = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('gateway_'))
  return { files, watched, changes, lines, metrics }
}

function write(folder: string, a: string, b: string): void {
  writeFileSync(join(folder, 'a'), a)
  writeFileSync(join(folder, 'b'), b)
}

t.test('a pair of files replaced one after the other takes effect once, as a whole', async (t) => {
  const folder = t.testdir({ a: 'x1', b: 'x1' })
  const { files, watched, changes, metrics } = await watch(t, folder)
  await files.check()
  t.same(changes, [], 'nothing has changed')
  writeFileSync(join(folder, 'a'), 'y2')
  await files.check()
  writeFileSync(join(folder, 'b'), 'y2')
  await files.check()
  t.equal(watched.current(), 'x1 x1', 'not before two checks have found the same')
  await files.check()
  t.equal(watched.current(), 'y2 y2')
  await files.check()
  t.same(changes, ['y2 y2'])
  t.same(await metrics(), [
    'gateway_file_reloads_total{files="pair",result="success"} 1',
    'gateway_file_reloads_total{files="pair",result="failure"} 0',
    'gateway_files_refused{files="pair"} 0',
  ])
})

t.test('changes are found behind the symbolic links of a mounted Kubernetes secret', async (t) => {
  const folder = t.testdir({ first: { a: 'x1', b: 'x1' } })
  symlinkSync('first', join(folder, '..data'))
  for (const name of ['a', 'b']) symlinkSync(join('..data', name), join(folder, name))
  const { files, watched } = await watch(t, folder)
  mkdirSync(join(folder, 'second'))
  write(join(folder, 'second'), 'y2', 'y2')
  symlinkSync('second', join(folder, '..data_tmp'))
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
  rmSync(join(folder, 'first'), { recursive: true })
  await files.check()
  await files.check()
  t.equal(watched.current(), 'y2 y2')
})

t.test(
  'invalid and missing files change nothing, and appear in log and metrics until they are valid',
  async (t) => {
    const folder = t.testdir({ a: 'x1', b: 'x1' })
    const { files, watched, changes, lines, metrics } = await watch(t, folder)
    const judged: unknown[] = []
    files.onJudged((...outcome) => judged.push(outcome))
    write(folder, 'y2', 'z2')
    for (let look = 0; look < 5; look++) await files.check()
    t.equal(watched.current(), 'x1 x1')
    t.same(lines, [
      [
        { files: 'pair', reason: 'they differ' },
        'changed files refused, the previous ones stay active',
      ],
    ])
    t.ok((await metrics()).includes('gateway_files_refused{files="pair"} 1'))
    rmSync(join(folder, 'a'))
    t.equal(await files.reload(), false)
    t.match(lines.at(-1), [{ reason: /ENOENT/ }])
    write(folder, 'x1', 'x1')
    t.equal(await files.reload(), true)
    t.ok((await metrics()).includes('gateway_files_refused{files="pair"} 0'))
    write(folder, 'y3', 'y3')
    t.equal(await files.reload(), true, 'a reload does not wait')
    t.same(changes, ['x1 x1', 'y3 y3'])
    const good = ['pair', undefined]
    t.match(judged, [['pair', 'they differ'], ['pair', /ENOENT/], good, good])
  },
)

t.test('startup with invalid files fails and names the settings', async (t) => {
  const folder = t.testdir({ a: 'x1', b: 'y1' })
  await t.rejects(watch(t, folder), { name: 'FilesInvalid', message: 'A, B: they differ' })
  rmSync(join(folder, 'b'))
  await t.rejects(watch(t, folder), { name: 'FilesInvalid', message: /^A, B: ENOENT/ })
})
