import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client } from 'pg'
import t, { type Test } from 'tap'
import { killGroup } from '../../test/runner/kill-group.ts'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { startPostgres } from '../../test/support/database.ts'
import { createDatabaseRoles } from '../../test/support/database-roles.ts'
import { fleetMissing } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { configDir } from '../../test/support/published-catalogue.ts'
import { startRedisServer } from '../../test/support/redis-server.ts'

const root = join(configDir, '..')
const run = promisify(execFile)

/** The shell blocks of the section Roles in docs/production.md. */
function productionBlocks(): readonly string[] {
  const page = readFileSync(join(root, 'docs', 'production.md'), 'utf8')
  const section = /^## Roles$(.*?)^###? /ms.exec(page)?.[1] ?? ''
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** Puts the addresses of this machine in the place of the page's; each must be on the page. */
function here(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((result, [place, local]) => {
    if (!result.includes(place)) throw new Error(`the block no longer names ${place}`)
    return result.replaceAll(place, local)
  }, text)
}

/** Runs a command of the page in a shell; resolves when its roles are ready. */
function startCommand(
  t: Test,
  script: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly stderr: () => string }> {
  // Its own group: the shell and what it starts end together.
  const child = spawn('/bin/sh', ['-ec', script], { ...options, detached: true })
  let written = ''
  child.stderr.on('data', (chunk) => {
    written += String(chunk)
  })
  t.teardown(() => killGroup(child))
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('tollgate ready ')) resolve({ stderr: () => written })
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${written}`)))
  })
}

t.test(
  'the commands of the section Roles start a gateway, a portal and a bank that answers a call',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const blocks = productionBlocks()
    t.equal(blocks.length, 4, 'secrets, tables, settings, commands')
    const [secrets = '', tables = '', settings = '', commands = ''] = blocks

    const postgres = await startPostgres(t)
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    await client.query('create database tollgate')
    await client.end()
    const redis = await startRedisServer()
    t.teardown(() => redis.stop())

    const cwd = mkdtempSync(join(tmpdir(), 'tg-production-'))
    t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
    symlinkSync(join(root, 'config'), join(cwd, 'config'))

    const ports = await Promise.all(Array.from({ length: 7 }, async () => String(await freePort())))
    const [gateway = '', portal = '', bank = '', sca = '', ...management] = ports
    const env = {
      ...childEnvironment,
      // As the page says of a checkout.
      PATH: `${root}:${process.env['PATH']}`,
      GATEWAY_PORT: gateway,
      PORTAL_PORT: portal,
      BACKEND_PORT: bank,
      SCA_PORT: sca,
    }
    const database = new URL(postgres.url)
    const exports = here(settings, {
      'db.internal:5432': database.host,
      'redis.internal:6379': new URL(redis.url).host,
    })
    const starts = here(commands, {
      'bank.internal:8082': `127.0.0.1:${bank}`,
      'gateway.internal:9090': `127.0.0.1:${management[0]}`,
    })

    await run('/bin/sh', ['-ec', secrets], { cwd, env })
    database.pathname = '/tollgate'
    createDatabaseRoles(database.href, () => 'password')
    await run('/bin/sh', ['-ec', here(tables, { 'db.internal:5432': database.host })], { cwd, env })
    const roles = await Promise.all(
      starts
        .trim()
        .split('\n')
        .map((command, index) =>
          startCommand(t, `${exports}\n${command}`, {
            cwd,
            env: { ...env, MANAGEMENT_PORT: management[index] ?? '' },
          }),
        ),
    )
    t.equal(roles.length, 3)
    for (const { stderr } of roles) {
      t.notMatch(stderr(), /PUBLIC_URL/, 'no address leads nowhere')
      t.notMatch(stderr(), /SMTP_URL/, 'the portal has a mail server')
    }

    const onboard =
      'tollgate onboard --email noa@app.example --application App --api xs2a@1.7.0 --json'
    const { stdout } = await run('/bin/sh', ['-ec', `${exports}\n${onboard}`], { cwd, env })
    const answer = await fetch(`http://127.0.0.1:${gateway}/v1.7.0/accounts`, {
      headers: { 'x-api-key': JSON.parse(stdout).key, 'x-request-id': crypto.randomUUID() },
    })
    const body = await answer.text()
    t.match(
      [answer.status, body],
      [400, /"tppMessages".*Consent-ID/is],
      'the bank asks for a consent',
    )
    t.ok(answer.headers.get('ratelimit'), 'the gateway counted')

    const page = await fetch(`http://127.0.0.1:${portal}/`)
    t.equal(page.status, 200)
  },
)
