import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { settingGroups } from '../../src/platform/settings.ts'
import { exchangeMs, stopTimes } from '../../src/platform/stop-times.ts'

const names = settingGroups.flatMap(({ rows }) => Object.values(rows).flatMap((row) => row.names))
const drainMs = 5_000
const install = readFileSync('docs/install.md', 'utf8')
const giveSecrets = readFileSync('deploy/give-secrets.sh', 'utf8')

function verifies(): boolean {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

for (const [unit, role] of [
  ['tollgate-gateway', 'gateway'],
  ['tollgate-portal', 'portal'],
  ['tollgate-bank', 'backend'],
] as const) {
  t.test(`${unit}.service starts its role hardened and gives a stop its time`, async (t) => {
    const text = readFileSync(`deploy/systemd/${unit}.service`, 'utf8')
    t.match(text, new RegExp(`^ExecStart=.*/bin/tollgate.js start ${role}$`, 'm'))
    const [, seconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? []
    t.ok(Number(seconds) * 1_000 > drainMs + stopTimes(exchangeMs).closeMs)
    const service = unit.replace('tollgate-', '')
    for (const line of [`User=${unit}`, `StateDirectory=tollgate/${service}`]) {
      t.match(text, new RegExp(`^${line}$`, 'm'), 'what one service keeps, no other reads')
    }
    t.match(text, `DATA_DIR=/var/lib/tollgate/${service}\n`)
    t.match(install, 'useradd --system --home-dir /var/lib/tollgate/$service')
    const given = new RegExp(`^give ${service} (.+)$`, 'm').exec(giveSecrets)?.[1]?.split(' ')
    const files = [...text.matchAll(/^Environment=(\w+_FILE)=(\S+)\/([^/\s]+)$/gm)]
    t.ok(files.length > 0)
    for (const [, name = '', folder, file = ''] of files) {
      t.ok(names.includes(name), name)
      t.equal(folder, `/etc/tollgate/secrets/${service}`)
      t.ok(given?.includes(file), `give-secrets.sh gives it ${file}`)
      t.match(install, new RegExp(` > ${file.replace(service, '\\$role')}$|-out ${file}$`, 'm'))
    }
    t.notMatch(text, /^LoadCredential/m, 'a credential stays as it was at the start')
    for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=']) {
      t.match(text, new RegExp(`^${line}$`, 'm'))
    }
    if (!verifies()) return
    const folder = mkdtempSync(join(tmpdir(), 'tg-unit-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const file = join(folder, `${unit}.service`)
    // The program and its user are not installed here.
    writeFileSync(
      file,
      text
        .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
        .replace(/^(?:User|Group|WorkingDirectory)=.*\n/gm, ''),
    )
    execFileSync('systemd-analyze', ['verify', '--man=no', file], { stdio: 'pipe' })
  })
}
