import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tollgate } from '../../test/support/cli.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

/** A process in the answer of `tollgate reload --json`. */
interface Listed {
  readonly roles: string
  readonly pid: number
  readonly digest: string
  readonly state: string
  readonly reason: string | null
}

/** A gateway, a portal and a bank, each in its own process; the bank is on another host, with its own files. */
async function startApart() {
  const { env } = await startStores(t)
  const [managementPort, backendPort] = [await freePort(), await freePort()]
  const [near, far] = [testConfigDir(t), testConfigDir(t)]
  const shared = { ...productionEnv(), ...env, CONFIG_DIR: near }
  const start = (role: 'gateway' | 'portal' | 'backend', more: Record<string, string>) =>
    spawnTollgate(t, [role], { ...shared, BACKEND_URL: `http://127.0.0.1:${backendPort}`, ...more })
  const gateway = await start('gateway', {
    MANAGEMENT_PORT: String(managementPort),
  })
  const [portal, bank] = await Promise.all([
    start('portal', { SESSION_SECRET: 's'.repeat(43), GATEWAY_PUBLIC_URL: gateway.urls.gateway }),
    start('backend', {
      CONFIG_DIR: far,
      BACKEND_PORT: String(backendPort),
      IDENTITY_JWKS_URL: `http://127.0.0.1:${managementPort}/.well-known/jwks.json`,
    }),
  ])
  const stores = await storesOf(t, shared)
  async function reload(...args: string[]) {
    const { code, stdout } = await tollgate(shared, 'reload', '--json', ...args)
    const { digest, processes } = JSON.parse(stdout)
    return { code, digest: String(digest), processes: processes as readonly Listed[] }
  }
  const reloadAsPerson = (...args: string[]) => tollgate(shared, 'reload', ...args)
  return { gateway, portal, bank, near, far, stores, reload, reloadAsPerson }
}

/** Writes a file in both folders or in one. */
function write(folders: readonly string[], path: string, text: string): void {
  for (const folder of folders) writeFileSync(join(folder, path), text)
}

t.test(
  'reload --wait lists every process with its digest, names those that lag or refuse, and leaves one audit entry',
  { skip: fleetMissing(), timeout: 400_000 },
  async (t) => {
    const { gateway, portal, bank, near, far, stores, reload, reloadAsPerson } = await startApart()
    const all = [gateway, portal, bank]
    await until('all are entered', async () => (await stores.processes.living()).length === 3)
    const audited = async () =>
      (await stores.audit.list({ subject: 'configuration:all', limit: 50 })).toReversed()

    const first = await reload('--wait', '60')
    t.equal(first.code, 0)
    t.same(
      first.processes.map(({ roles, state, digest }) => ({ roles, state, digest })),
      ['backend', 'gateway', 'portal'].map((roles) => ({
        roles,
        state: 'current',
        digest: first.digest,
      })),
    )
    t.same(await audited(), [], 'nothing has changed')
    for (const [index, role] of ['gateway', 'portal', 'backend'].entries()) {
      const management = all[index]?.urls.management ?? ''
      const short = first.digest.slice(0, 12)
      const metrics = await (await fetch(`${management}/metrics`)).text()
      t.match(
        metrics,
        new RegExp(`^gateway_config_info\\{digest="${short}",role="${role}"\\} 1$`, 'm'),
      )
      const ready = await (await fetch(`${management}/readyz?verbose`)).json()
      t.match(ready, { configuration: { digest: first.digest, loadedAt: /^20/ } })
    }

    const plan = readFileSync(join(near, 'plans', 'default.yaml'), 'utf8')
    write([near], 'plans/default.yaml', plan.replace('calls: 1000000', 'calls: 500'))
    const lagging = await reloadAsPerson()
    t.equal(lagging.code, 1)
    t.match(lagging.stdout, `backend ${hostOf(lagging.stdout)}:${bank.pid} read other files: `)
    t.match(lagging.stdout, '2 of 3 listed processes serve it.')
    t.equal((await reload('--wait', '1')).code, 1)
    write([far], 'plans/default.yaml', plan.replace('calls: 1000000', 'calls: 500'))
    const reached = await reload('--wait', '60')
    t.equal(reached.code, 0)
    t.same([...new Set(reached.processes.map(({ digest }) => digest))], [reached.digest])
    t.match(await audited(), [
      {
        actor: /^operator:/,
        action: 'configuration.reload',
        detail: {
          how: 'command',
          from: first.digest.slice(0, 12),
          to: reached.digest.slice(0, 12),
          'plan default': /limit default: 1000000 calls .* → 500 calls/,
        },
      },
    ])

    write([far], 'plans/default.yaml', 'title: 5')
    const refused = await reloadAsPerson()
    t.equal(refused.code, 1)
    t.match(
      refused.stdout,
      `:${bank.pid} refused its files and keeps the configuration from before`,
    )
    t.match(refused.stdout, `${far}/plans/default.yaml:1 plan-limits`)
    write([far], 'plans/default.yaml', plan.replace('calls: 1000000', 'calls: 500'))

    const atBank = async () => {
      const answer = await fetch(`${bank.urls.backend}/v1.8.0/accounts`)
      await answer.text()
      return answer.status
    }
    t.equal(await atBank(), 404)
    const version = readFileSync(join(near, 'apis', 'xs2a', '1.7.0.yaml'), 'utf8')
    write([near, far], 'apis/xs2a/1.8.0.yaml', version.replaceAll('1.7.0', '1.8.0'))
    t.equal((await reload('--wait', '60')).code, 0)
    t.equal(await atBank(), 401, 'the bank serves the new version, to a gateway')
    const operations = readFileSync(join(near, 'shared', 'xs2a.yaml'), 'utf8')
    write([near, far], 'shared/next.yaml', operations.replace('listAccounts', 'listNothing'))
    const more =
      "  /nothing: { $ref: '../../shared/next.yaml#/components/pathItems/accounts' }\n  /accounts: {"
    const unknown = version.replaceAll('1.7.0', '1.8.0').replace('  /accounts: {', more)
    write([near, far], 'apis/xs2a/1.8.0.yaml', unknown)
    const unserved = await reload()
    t.equal(unserved.code, 1)
    const [ofBank] = unserved.processes
    t.match(ofBank, { roles: 'backend', state: 'refused', reason: /xs2a@1\.8\.0 listNothing/ })
    t.equal(await atBank(), 401)
    for (const folder of [near, far]) rmSync(join(folder, 'apis', 'xs2a', '1.8.0.yaml'))
    t.equal((await reload('--wait', '60')).code, 0)
    t.equal(await atBank(), 404, 'and refuses it when it is gone')
    t.match((await audited()).map(({ detail }) => detail).slice(1), [
      { versionsAdded: 'xs2a@1.8.0' },
      { 'version xs2a@1.8.0': 'document changed' },
      { versionsRemoved: 'xs2a@1.8.0' },
    ])

    t.match(await metricsOf(gateway.urls.management), /^gateway_config_generation [1-9]\d*$/m)
    bank.signal('SIGKILL')
    await bank.ended
    await until('the bank has lapsed', async () => (await stores.processes.unseen()).length === 1)
    const unseen = await reload('--wait', '5')
    t.equal(unseen.code, 1)
    t.match(unseen.processes.at(-1), { roles: 'backend', pid: bank.pid, state: 'unseen' })
    t.equal((await reload()).code, 0, 'those that run serve it')
    portal.signal('SIGTERM')
    await portal.ended
    t.same(
      (await stores.processes.living()).map(({ roles }) => roles),
      ['gateway'],
    )
  },
)

/** The host in the first remark of a listing. */
function hostOf(text: string): string {
  return /^backend (.+):\d+ /m.exec(text)?.[1] ?? ''
}
