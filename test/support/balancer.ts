import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from './database.ts'
import { freePort } from './free-port.ts'
import { configDir } from './published-catalogue.ts'
import type { TollgateProcess } from './tollgate.ts'
import { until } from './until.ts'

export const balancers = ['nginx', 'haproxy'] as const
export type Balancer = (typeof balancers)[number]

const root = join(configDir, '..')

/** The published sample of a configuration, in front of gateway-1.internal:8080 and gateway-2.internal:8080. */
const samples: Readonly<Record<Balancer, () => string>> = {
  nginx: () => readFileSync(join(root, 'deploy', 'nginx.conf'), 'utf8'),
  haproxy: () => readFileSync(join(root, 'deploy', 'haproxy.cfg'), 'utf8'),
}

/** The gateway's part of the nginx of docs/install.md, with the block of that page for two gateways. */
export function nginxOfInstall(): string {
  const sample = readFileSync(join(root, 'deploy', 'nginx-vm.conf'), 'utf8')
  const page = readFileSync(join(root, 'docs', 'install.md'), 'utf8')
  const [, block = ''] = /^```nginx\n(upstream .*?)^```/ms.exec(page) ?? []
  const replaced = /^upstream .*\n {2}server 127.0.0.1:8080 max_fails=0;\n/m
  const isWhole = replaced.test(sample) && block !== ''
  if (!isWhole) throw new Error('docs/install.md or deploy/nginx-vm.conf has no such upstream')
  const [gateway = ''] = /.*?^server \{.*?^\}\n/ms.exec(sample.replace(replaced, block)) ?? []
  return gateway
    .replace(/^ssl_certificate.*\n/gm, '')
    .replace('listen 443 ssl;', 'listen 80;')
    .replaceAll(/127\.0\.0\.1:810(\d)/g, 'gateway-$1.internal:8080')
}

/** Says why a balancer cannot run here, for the option `skip` of a test; false when it can. */
export function balancerMissing(name: Balancer): string | false {
  try {
    execFileSync(`/usr/sbin/${name}`, ['-v'], { stdio: 'ignore' })
    return false
  } catch {
    return `${name} is not installed`
  }
}

/**
 * Starts a balancer in front of gateways.
 *
 * @param sample a configuration for two gateways (Default: the published sample)
 * @param isPatient gateways that a busy machine keeps waiting are not away; only for haproxy
 * @returns its origin
 */
export async function startBalancer(
  t: Test,
  name: Balancer,
  gateways: readonly TollgateProcess[],
  { sample = samples[name](), isPatient = false } = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `tg-${name}-`))
  const port = await freePort()
  const file = join(folder, 'configuration')
  let text = sample
  for (let number = 3; number <= gateways.length; number += 1) text = withOneMore(text, number)
  for (const [index, { urls }] of gateways.entries()) {
    const { host } = new URL(urls.gateway)
    const { port: management } = new URL(urls.management)
    text = text
      .replace(`gateway-${index + 1}.internal:8080 port 9090`, `${host} port ${management}`)
      .replace(`gateway-${index + 1}.internal:8080`, host)
  }
  text = text.replace('listen 80;', `listen 127.0.0.1:${port};`)
  text = text.replace('bind :80', `bind 127.0.0.1:${port}`)
  if (isPatient) text = text.replace('timeout check 2s', 'timeout check 20s')
  writeFileSync(file, name === 'nginx' ? aroundServer(text, folder) : text)
  const args =
    name === 'nginx'
      ? ['-p', folder, '-c', file, '-e', join(folder, 'error.log')]
      : ['-db', '-q', '-f', file]
  // It ends with this process, however that ends.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', `/usr/sbin/${name}`, ...args], {
    stdio: 'ignore',
  })
  const gone = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })
  await until(`${name} listens`, async () => {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  })
  return `http://127.0.0.1:${port}`
}

/** Repeats the line of the gateway before. */
function withOneMore(text: string, number: number): string {
  const before = `gateway-${number - 1}.internal`
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.trim().startsWith('server ') && line.includes(before))
  const line = (lines[at] ?? '').replace(before, `gateway-${number}.internal`)
  // HAProxy's servers have names.
  lines.splice(at + 1, 0, line.replace(/server \w+ /, `server number-${number} `))
  return lines.join('\n')
}

/** What a system's nginx.conf has around the file. One process: workers would outlive a master that is killed. */
function aroundServer(text: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder};`)
    .join('\n')
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
${temporary}
access_log off;
${text}
}
`
}
