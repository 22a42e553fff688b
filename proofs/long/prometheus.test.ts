import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createClient } from '../../test/support/calling.ts'
import type { Test } from '../../test/support/database.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { lintMetrics, promtoolMissing } from '../../test/support/metrics.ts'
import { newApplication, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

interface Dashboard {
  readonly title: string
  readonly panels: readonly {
    readonly title: string
    readonly description: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly definition?: string }[]
  }
}

const folder = new URL('../../deploy/', import.meta.url)
const dashboards = readdirSync(new URL('grafana/dashboards/', folder)).map(
  // Parse boundary: our own files.
  (name) =>
    JSON.parse(readFileSync(new URL(`grafana/dashboards/${name}`, folder), 'utf8')) as Dashboard,
)

/** Panels about what did not happen in the run: their expression is right, and it gives nothing. */
const mayBeEmpty = new Map([
  ['Share of 5xx', 'no call failed'],
  ['Share of 429', 'no limit was reached'],
  ['Refused and failed calls', 'no call was refused'],
  ['Routes with 5xx', 'no request failed'],
  ['Operations with 5xx', 'no call failed'],
  ['Limits used to more than 80 %', 'no limit was nearly used up'],
])

/** Series that exist only where what they are about exists. */
const conditional = new Map([
  ['gateway_quota_used_ratio', 'no limit was nearly used up'],
  ['gateway_certificate_expiry_timestamp_seconds', 'no listener has TLS'],
  ['gateway_client_trust_end_timestamp_seconds', 'no client certificates are asked for'],
  ['gateway_files_refused', 'no listener has TLS'],
  ['gateway_file_reloads_total', 'no listener has TLS'],
  ['gateway_tls_handshake_failures_total', 'no listener has TLS'],
  ['gateway_rehearsed_calls_total', 'no plan is rehearsed'],
  ['gateway_drills_total', 'no developer made a drill'],
  ['gateway_secret_changed_timestamp_seconds', 'no secret comes from a file'],
])

t.test(
  'a Prometheus that scrapes gateway, portal and bank has data for each panel, rule and documented metric; portal and bank are ready only with PostgreSQL',
  { skip: fleetMissing() || promtoolMissing() },
  async (t) => {
    const { postgres, env } = await startStores(t)
    const [managementPort, backendPort] = [await freePort(), await freePort()]
    const shared = {
      ...productionEnv(),
      ...env,
      CONFIG_DIR: testConfigDir(t),
      SESSION_SECRET: randomBytes(32).toString('base64url'),
      GATEWAY_PROCESSES: '1',
    }
    const gateway = await spawnTollgate(t, ['gateway'], {
      ...shared,
      MANAGEMENT_PORT: String(managementPort),
      BACKEND_URL: `http://127.0.0.1:${backendPort}`,
    })
    const stores = await storesOf(t, shared)
    const { key } = await newApplication(stores, 'Scraped')
    const [bank, portal] = await Promise.all([
      spawnTollgate(t, ['backend'], {
        ...shared,
        BACKEND_PORT: String(backendPort),
        IDENTITY_JWKS_URL: `http://127.0.0.1:${managementPort}/.well-known/jwks.json`,
        LOG_LEVEL: 'info',
      }),
      (async () => {
        const client = createClient(t, gateway.urls.gateway)
        // Usage is written after some seconds; the portal reads it once a minute, first at its start.
        await until('the usage of the call is written', async () => {
          await client.call({ key })
          return (await stores.applicationFigures.topCallers('hour', 1)).length > 0
        })
        return spawnTollgate(t, ['portal'], {
          ...shared,
          GATEWAY_PUBLIC_URL: gateway.urls.gateway,
          LOG_LEVEL: 'info',
        })
      })(),
    ])
    const processes = [gateway, portal, bank]
    const client = createClient(t, gateway.urls.gateway)
    const load = async () => {
      await Promise.all([client.call({ key }), client.call({ key }), fetch(bank.urls.sca)])
      await Promise.all([fetch(portal.urls.portal), fetch(`${portal.urls.portal}/api/session`)])
    }
    const ask = await startPrometheus(
      t,
      processes.map(({ urls }) => new URL(urls.management).host),
    )
    await until('it sees calls', async () => {
      await load()
      return (await ask('sum(increase(gateway_requests_total[1m]))')).some(
        ({ value }) => Number(value[1]) > 5,
      )
    })

    for (const { urls } of processes) {
      const text = await (await fetch(`${urls.management}/metrics`)).text()
      t.equal(lintMetrics(text), '', 'promtool has nothing to say')
    }

    const known = new Set(
      (await ask('count by (__name__) ({job="tollgate"})')).map(({ metric }) => metric['__name__']),
    )
    const isKnown = (name: string): boolean =>
      conditional.has(name) || [name, `${name}_count`].some((each) => known.has(each))
    const rules = readFileSync(new URL('prometheus/tollgate.rules.yaml', folder), 'utf8')
    const documented = readFileSync(new URL('../docs/monitoring.md', folder), 'utf8')
    for (const [what, text] of [
      ['rules', rules],
      ['docs/monitoring.md', documented],
      ['dashboards', JSON.stringify(dashboards)],
    ] as const) {
      const named =
        text.match(/\b(?:gateway|portal|bank|process|nodejs)_[a-z0-9_]+[a-z0-9]\b/g) ?? []
      const missing = new Set(named.filter((name) => !isKnown(name)))
      t.same([...missing], [], `${what}: every metric exists`)
    }

    t.equal(dashboards.length, 7)
    for (const { title, panels, templating } of dashboards) {
      for (const panel of panels) {
        t.ok(panel.description, `${title}, ${panel.title}: a description`)
        // A rate needs two samples, and each process began at another time.
        await until(`${title}, ${panel.title}: data`, async () => {
          await load()
          const names = templating.list.map(({ name }) => name)
          const found = await Promise.all(
            panel.targets.map(({ expr }) => ask(filledIn(expr, names))),
          )
          return found.flat().length > 0 || mayBeEmpty.has(panel.title)
        })
      }
    }
    const groups = await ask.rules()
    t.ok(groups.length > 40)
    t.same(
      groups
        .filter(({ health }) => health !== 'ok')
        .map(({ name, lastError }) => [name, lastError]),
      [],
      'every rule is evaluated',
    )
    t.match(portal.output.stderr, /"route":"\/api\/session".*"msg":"portal request"/)
    t.match(bank.output.stderr, /"operation":"\w+".*"msg":"bank call"/)

    const ready = async ({ urls }: (typeof processes)[number]) => {
      const answer = await fetch(`${urls.management}/readyz`)
      // Parse boundary: our own answers.
      const { missing = [] } = (await answer.json()) as { missing?: string[] }
      return [answer.status, missing] as const
    }
    await postgres.stop()
    for (const [process, missing] of [
      [portal, 'registry'],
      [bank, 'database'],
    ] as const) {
      await until(`not ready: ${missing}`, async () => {
        const [status, named] = await ready(process)
        return status === 503 && named.includes(missing)
      })
    }
    t.equal((await ready(gateway))[0], 200, 'a gateway serves on')
    await postgres.start()
    for (const process of [portal, bank]) {
      await until('ready again', async () => (await ready(process))[0] === 200)
    }
  },
)

/** As Grafana fills in the variables of a dashboard. */
function filledIn(expr: string, names: readonly string[]): string {
  return names.reduce(
    (text, name) => text.replaceAll(`"$${name}"`, '".*"'),
    expr.replaceAll('$__rate_interval', '1m'),
  )
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

interface Rule {
  readonly name: string
  readonly health: string
  readonly lastError?: string
}

/** Starts a Prometheus with our rules that scrapes these targets every second. */
async function startPrometheus(t: Test, targets: readonly string[]) {
  const at = mkdtempSync(join(tmpdir(), 'tg-prometheus-'))
  const sample = readFileSync(new URL('prometheus/prometheus.yaml', folder), 'utf8')
  writeFileSync(
    join(at, 'prometheus.yaml'),
    sample
      .replaceAll(/_interval: \w+/g, '_interval: 1s')
      .replace(/targets: .*/, `targets: ${JSON.stringify(targets)}`),
  )
  copyFileSync(new URL('prometheus/tollgate.rules.yaml', folder), join(at, 'tollgate.rules.yaml'))
  const port = await freePort()
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(at, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(at, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  t.teardown(async () => {
    server.kill('SIGKILL')
    await new Promise((resolve) => server.once('exit', resolve))
    rmSync(at, { recursive: true, force: true })
  })
  const api = `http://127.0.0.1:${port}/api/v1`
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('Prometheus is ready', isUp)

  async function ask(query: string): Promise<readonly Sample[]> {
    const answer = await fetch(`${api}/query?${new URLSearchParams({ query })}`)
    // Parse boundary: Prometheus' own answers.
    const { status, error, data } = (await answer.json()) as {
      status: string
      error?: string
      data: { result: readonly Sample[] }
    }
    if (status !== 'success') throw new Error(`${query}: ${error}`)
    return data.result
  }
  ask.rules = async (): Promise<readonly Rule[]> => {
    const { data } = (await (await fetch(`${api}/rules`)).json()) as {
      data: { groups: readonly { rules: readonly Rule[] }[] }
    }
    return data.groups.flatMap(({ rules }) => rules)
  }
  return ask
}
