import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { settingGroups } from '../../src/platform/settings.ts'
import { exchangeMs, stopTimes } from '../../src/platform/stop-times.ts'

const names = settingGroups.flatMap(({ rows }) => Object.values(rows).flatMap((row) => row.names))
const drainMs = 5_000

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
    for (const [, name = '', file] of text.matchAll(/^Environment=(\w+_FILE)=%d\/(\S+)$/gm)) {
      t.ok(names.includes(name), name)
      t.match(text, new RegExp(`^LoadCredential=${file}:`, 'm'))
    }
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
