import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { CatalogueError } from '../../src/catalogue/catalogue-error.ts'
import { folderState } from '../../src/catalogue/folder-state.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createPublisher } from '../../src/compose/publisher.ts'
import { watchConfiguration } from '../../src/compose/watch-configuration.ts'
import { createConfigurationMetrics } from '../../src/gateway/operate/configuration-metrics.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { createLifetime } from '../../src/platform/process/lifetime.ts'
import { configDir as published } from '../support/published-catalogue.ts'
import { testConfigDir } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** A folder as Kubernetes mounts a ConfigMap: links into `..data`, itself a link. */
function mountedFolder(t: Test): { folder: string; swap(name: string, calls: number): void } {
  const folder = join(testConfigDir(t), 'mounted')
  function swap(name: string, calls: number): void {
    const data = join(folder, name)
    cpSync(published, data, { recursive: true })
    const plan = join(data, 'plans', 'default.yaml')
    writeFileSync(plan, readFileSync(plan, 'utf8').replace(/calls: \d+/, `calls: ${calls}`))
    symlinkSync(name, join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
  }
  mkdirSync(folder)
  swap('..1', 1)
  for (const name of ['apis', 'plans', 'shared', 'brand.yaml']) {
    symlinkSync(join('..data', name), join(folder, name))
  }
  return { folder, swap }
}

t.test(
  'the watch notices a swapped ConfigMap and an edited file, and refuses what is invalid once',
  async (t) => {
    const { folder, swap } = mountedFolder(t)
    const loaded = await folderState(folder)
    const publisher = createPublisher({
      configDir: folder,
      catalogue: await loadCatalogue(folder),
      metrics: createConfigurationMetrics(new Registry()),
      log: createLog('silent'),
      events: { record: () => undefined },
    })
    let failuresLeft = 0
    publisher.prepareWith(async () => {
      if (failuresLeft === 0) return () => undefined
      failuresLeft -= 1
      throw new CatalogueError([{ file: 'plan', line: 1, rule: 'file-unreadable', message: 'EIO' }])
    })
    const causes: (string | undefined)[] = []
    publisher.onJudged((replacement) => void causes.push(replacement?.cause.how))
    const lifetime = createLifetime()
    t.teardown(() => lifetime.close())
    watchConfiguration({
      settings: { configDir: folder },
      loaded,
      publisher,
      lifetime,
      everyMs: 100,
    })
    const calls = () => publisher.current().catalogue.plans.get('default')?.limits[0]?.calls

    swap('..2', 2)
    await until('the swapped files are in force', () => calls() === 2)
    const plan = join(folder, '..data', 'plans', 'default.yaml')
    const text = readFileSync(plan, 'utf8')
    writeFileSync(plan, text.replace('calls: 2', 'calls: 3'))
    await until('the edited file is in force', () => calls() === 3)

    writeFileSync(plan, 'title: 5')
    await until('it is refused', () => publisher.state().refused !== undefined)
    t.match(publisher.state().refused, /mounted\/plans\/default\.yaml:1 plan-limits: /)
    t.equal(calls(), 3, 'the one before stays')
    writeFileSync(plan, text)
    await until('the mended file is in force', () => calls() === 2)
    t.same(causes, ['watch', 'watch', undefined, 'watch'], 'each change is judged once')

    failuresLeft = 3
    writeFileSync(plan, text.replace('calls: 2', 'calls: 4'))
    await until('it is tried again by itself until it succeeds', () => causes.length === 8)
    t.same(causes.slice(4), [undefined, undefined, undefined, 'watch'])
  },
)

t.test('files that change while they are read are read again', async (t) => {
  const { folder, swap } = mountedFolder(t)
  const loading = loadCatalogue(folder)
  swap('..2', 2)
  t.equal((await loading).plans.get('default')?.limits[0]?.calls, 2)
  t.equal((await loading).digest, (await loadCatalogue(folder)).digest)
})
