import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { exchangeMs, stopTimes } from '../../src/platform/http/stop-times.ts'
import { settingGroups } from '../../src/platform/settings/settings.ts'

const names = settingGroups.flatMap(({ rows }) => Object.values(rows).flatMap((row) => row.names))
const drainMs = 5_000
const install = readFileSync('docs/install.md', 'utf8')
const giveSecrets = readFileSync('deploy/give-secrets.sh', 'utf8')

function works(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
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
    if (!works('systemd-analyze', '--version')) return
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

t.test(
  'give-secrets.sh gives each service of the machine its secrets, and others no copy',
  { skip: !works('unshare', '--mount', 'true') && 'needs root, and a machine that allows mounts' },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tg-secrets-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const secrets = join(folder, 'secrets')
    mkdirSync(secrets)
    const groups = join(folder, 'group')
    const [gateway, portal] = [60_001, 60_002]
    writeFileSync(
      groups,
      `root:x:0:\ntollgate-gateway:x:${gateway}:\ntollgate-portal:x:${portal}:\n`,
    )
    // Groups of its own, without a change to the machine.
    const script = 'mount --bind "$1" /etc/group && exec deploy/give-secrets.sh "$2"'
    const give = () =>
      execFileSync('unshare', ['--mount', 'sh', '-c', script, 'sh', groups, secrets])
    const copy = (service: string, name: string) => {
      const path = join(secrets, service, name)
      const { uid, gid, mode, mtimeMs } = statSync(path)
      return { text: readFileSync(path, 'utf8'), uid, gid, mode: mode & 0o777, mtimeMs }
    }
    for (const name of ['database-url-gateway', 'database-url-portal', 'key-pepper', 'smtp-url']) {
      writeFileSync(join(secrets, name), name)
    }

    give()
    t.match(copy('gateway', 'key-pepper'), {
      text: 'key-pepper',
      uid: 0,
      gid: gateway,
      mode: 0o440,
    })
    t.match(copy('portal', 'key-pepper'), { text: 'key-pepper', uid: 0, gid: portal, mode: 0o440 })
    t.strictSame(readdirSync(join(secrets, 'gateway')).sort(), [
      'database-url-gateway',
      'key-pepper',
    ])
    t.notOk(existsSync(join(secrets, 'bank')), 'the bank runs elsewhere')
    t.equal(statSync(join(secrets, 'key-pepper')).mode & 0o777, 0o600)

    const { mtimeMs } = copy('gateway', 'database-url-gateway')
    writeFileSync(join(secrets, 'key-pepper'), 'next')
    rmSync(join(secrets, 'smtp-url'))
    const loose = join(secrets, 'gateway', 'database-url-gateway')
    chownSync(loose, 0, 0)
    chmodSync(loose, 0o644)
    give()
    t.match(copy('gateway', 'key-pepper'), { text: 'next', gid: gateway, mode: 0o440 })
    t.match(
      copy('gateway', 'database-url-gateway'),
      { uid: 0, gid: gateway, mode: 0o440, mtimeMs },
      'permissions are corrected, and an equal secret keeps its time',
    )
    t.notOk(existsSync(join(secrets, 'portal', 'smtp-url')), 'a secret that is gone is taken away')
  },
)

t.test('the command of a machine takes its settings, unless they are set', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-command-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'tollgate.env'),
    'TRUSTED_PROXIES=127.0.0.1\nGATEWAY_PROCESSES=3\nPATH=/opt/node/bin:$PATH\n',
  )
  const script = readFileSync('deploy/tollgate.sh', 'utf8')
    .replace('/etc/tollgate/tollgate.env', join(folder, 'tollgate.env'))
    .replace('exec /opt/tollgate/tollgate "$@"', 'env')
  const env = {
    PATH: process.env['PATH'],
    GATEWAY_PROCESSES: '200',
    REDIS_URL: 'redis://own:6379',
    SESSION_SECRET_FILE: '',
    BRAND: `it's "one" $two`,
  }
  const shown = execFileSync('/bin/sh', ['-c', script], {
    env,
    encoding: 'utf8',
  })
  const settings = Object.fromEntries(shown.split('\n').map((line) => line.split(/=(.*)/s)))
  t.match(settings, {
    TRUSTED_PROXIES: '127.0.0.1',
    GATEWAY_PROCESSES: '200',
    KEY_PEPPER_FILE: '/etc/tollgate/secrets/key-pepper',
    SESSION_SECRET_FILE: '',
    BRAND: env.BRAND,
    PATH: /^\/opt\/node\/bin:/,
  })
  t.notOk('REDIS_URL_FILE' in settings, 'a URL that is set needs no file')
})
