import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { tollgate } from '../../test/support/cli.ts'
import { startPostgres, type Test } from '../../test/support/database.ts'
import { createDatabaseRoles } from '../../test/support/database-roles.ts'
import { freePort } from '../../test/support/free-port.ts'
import { type MailServer, testMailServer } from '../../test/support/mail-server.ts'
import { type RedisServer, testRedis } from '../../test/support/redis-server.ts'
import { spawnTollgate, type TollgateProcess, testConfigDir } from '../../test/support/tollgate.ts'

/** Every secret that a file gives, by its setting: the name of the file, as docs/rotation.md has it. */
const fileOf = {
  IDENTITY_PRIVATE_KEY: 'identity',
  KEY_PEPPER: 'key-pepper',
  SESSION_SECRET: 'session-secret',
  SANDBOX_SECRET: 'sandbox-secret',
  MANAGEMENT_TOKEN: 'management-token',
  DATABASE_URL: 'database-url',
  REDIS_URL: 'redis-url',
  SMTP_URL: 'smtp-url',
} as const satisfies Readonly<Record<string, string>>

export type RotatedSecret = keyof typeof fileOf

/** The roles of PostgreSQL. */
export type Login = 'gateway' | 'portal' | 'bank' | 'serving'

const secretsOf = {
  gateway: ['IDENTITY_PRIVATE_KEY', 'KEY_PEPPER', 'MANAGEMENT_TOKEN', 'DATABASE_URL', 'REDIS_URL'],
  portal: [
    ...(['KEY_PEPPER', 'SESSION_SECRET', 'SANDBOX_SECRET', 'MANAGEMENT_TOKEN'] as const),
    ...(['DATABASE_URL', 'REDIS_URL', 'SMTP_URL'] as const),
  ],
  bank: ['SANDBOX_SECRET', 'MANAGEMENT_TOKEN', 'DATABASE_URL'],
  serving: ['KEY_PEPPER', 'DATABASE_URL'],
} as const satisfies Readonly<Record<Login, readonly RotatedSecret[]>>

/** A machine with its own copies of the secrets. */
export interface Host {
  readonly name: string
  readonly login: Login
  /** Undefined on the machine on which commands run. */
  readonly process: TollgateProcess | undefined
  has(secret: RotatedSecret): boolean
  read(secret: RotatedSecret): string
  /** Writes a file in one go, as docs/rotation.md says. */
  write(secret: RotatedSecret, text: string): void
  readonly env: Readonly<Record<string, string>>
}

/** Three gateways, two portals and a bank whose secrets are files, and a machine for commands. */
export interface RotatingFleet {
  readonly hosts: readonly Host[]
  readonly gateways: readonly TollgateProcess[]
  readonly portals: readonly TollgateProcess[]
  readonly bank: TollgateProcess
  /** Where commands run. */
  readonly tool: Host
  /** The machine on which secrets are made: a folder with a copy of each list. */
  readonly workshop: string
  /** As the superuser. */
  readonly admin: Client
  readonly redis: RedisServer
  readonly mails: MailServer
  /** Which passwords the mail server accepts, and which it has seen. */
  readonly mailPasswords: { readonly accepted: Set<string>; readonly seen: string[] }
  /** The address of PostgreSQL for a user. */
  databaseUrl(user: string, password: string): string
  redisUrl(password: string): string
  smtpUrl(password: string): string
}

export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Starts all of it; it ends with the test. */
export async function startRotatingFleet(
  t: Test,
  origins: (gateways: readonly TollgateProcess[]) => Promise<string>,
): Promise<RotatingFleet & { readonly origin: string }> {
  const root = mkdtempSync(join(tmpdir(), 'tg-rotation-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const passwords = new Map(
    ['owner', 'gateway', 'portal', 'bank', 'serving'].map((role) => [role, newPassword()]),
  )
  const password = (role: string): string => passwords.get(role) ?? ''
  const { admin, databaseUrl } = await startDatabase(t, password)

  const redisPassword = newPassword()
  const redis = await testRedis(t)
  await redis.cli('acl', 'setuser', 'tollgate', 'on', `>${redisPassword}`, '~*', '&*', '+@all')
  const redisUrl = (password: string) => `redis://tollgate:${password}@127.0.0.1:${redis.port}`

  const mailPassword = newPassword()
  const mailPasswords = { accepted: new Set([mailPassword]), seen: [] as string[] }
  const mails = await testMailServer(t, {
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ password: given }, _session, done) {
      const password = given ?? ''
      mailPasswords.seen.push(password)
      if (mailPasswords.accepted.has(password)) return done(null, { user: 'tollgate' })
      done(new Error('wrong password'))
    },
  })
  await mails.start()
  const smtpUrl = (password: string) => `smtp://tollgate:${password}@127.0.0.1:${mails.port}`

  const { privateKey } = generateKeyPairSync('ed25519')
  const first: Readonly<Record<Exclude<RotatedSecret, 'DATABASE_URL'>, string>> = {
    IDENTITY_PRIVATE_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    KEY_PEPPER: newPassword(),
    SESSION_SECRET: newPassword(),
    SANDBOX_SECRET: newPassword(),
    MANAGEMENT_TOKEN: newPassword(),
    REDIS_URL: redisUrl(redisPassword),
    SMTP_URL: smtpUrl(mailPassword),
  }
  const workshop = join(root, 'workshop')
  mkdirSync(workshop)
  for (const [secret, text] of Object.entries(first)) {
    writeFileSync(join(workshop, fileOf[secret as RotatedSecret]), `${text.trim()}\n`)
  }

  const shared = {
    CONFIG_DIR: testConfigDir(t),
    GATEWAY_PROCESSES: '3',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'info',
    ACCESS_LOG: 'off',
    TRUSTED_PROXIES: '127.0.0.1',
    KEYS_PER_APPLICATION: '1000',
    SANDBOX: 'on',
    // Busy is not away.
    REDIS_DEADLINE_MS: '5000',
    BACKEND_CONNECT_MS: '10000',
    BACKEND_FIRST_BYTE_MS: '25000',
  }

  function prepare(name: string, login: Login): Omit<Host, 'process'> {
    const folder = join(root, name)
    mkdirSync(folder)
    const secrets: readonly RotatedSecret[] = secretsOf[login]
    const path = (secret: RotatedSecret): string => join(folder, fileOf[secret])
    const write = (secret: RotatedSecret, text: string): void => {
      writeFileSync(`${path(secret)}.new`, text, { mode: 0o600 })
      renameSync(`${path(secret)}.new`, path(secret))
    }
    for (const secret of secrets) {
      const user = `tollgate_${login}`
      const text = secret === 'DATABASE_URL' ? databaseUrl(user, password(login)) : first[secret]
      write(secret, text)
    }
    return {
      name,
      login,
      write,
      has: (secret) => secrets.includes(secret),
      read: (secret) => readFileSync(path(secret), 'utf8').trim(),
      env: {
        ...shared,
        DATA_DIR: join(folder, 'data'),
        ...Object.fromEntries(secrets.map((secret) => [`${secret}_FILE`, path(secret)])),
      },
    }
  }

  async function start(
    name: string,
    login: 'gateway' | 'portal' | 'bank',
    own: Readonly<Record<string, string>>,
  ): Promise<Host & { readonly process: TollgateProcess }> {
    const host = prepare(name, login)
    const role = login === 'bank' ? 'backend' : login
    return { ...host, process: await spawnTollgate(t, [role], { ...host.env, ...own }) }
  }

  const bankPort = await freePort()
  const management = await Promise.all([freePort(), freePort(), freePort()])
  const gateways = await Promise.all(
    management.map((port, at) =>
      start(`gateway-${at + 1}`, 'gateway', {
        MANAGEMENT_PORT: String(port),
        BACKEND_URL: `http://127.0.0.1:${bankPort}`,
      }),
    ),
  )
  const origin = await origins(gateways.map(({ process }) => process))
  const others = await Promise.all([
    start('bank', 'bank', {
      BACKEND_PORT: String(bankPort),
      IDENTITY_JWKS_URL: management
        .map((port) => `http://127.0.0.1:${port}/.well-known/jwks.json`)
        .join(','),
    }),
    ...[1, 2].map((at) =>
      start(`portal-${at}`, 'portal', {
        GATEWAY_PUBLIC_URL: origin,
        BACKEND_URL: `http://127.0.0.1:${bankPort}`,
        MAIL_FROM: 'no-reply@bank.example',
      }),
    ),
  ])
  const [bank, ...portals] = others
  if (bank === undefined) throw new Error('there is a bank')
  const tool: Host = { ...prepare('tool', 'serving'), process: undefined }
  return {
    hosts: [...gateways, ...portals, bank, tool],
    gateways: gateways.map(({ process }) => process),
    portals: portals.map(({ process }) => process),
    bank: bank.process,
    tool,
    workshop,
    admin,
    redis,
    mails,
    mailPasswords,
    databaseUrl,
    redisUrl,
    smtpUrl,
    origin,
  }
}

/** A PostgreSQL that asks for passwords, with the roles and tables of Tollgate. */
async function startDatabase(t: Test, password: (role: string) => string) {
  const postgres = await startPostgres(t)
  const admin = new Client({ connectionString: postgres.url })
  // It breaks when the server ends with the test.
  admin.on('error', () => undefined)
  await admin.connect()
  t.teardown(() => admin.end().catch(() => undefined))
  const { rows } = await admin.query<{ hba_file: string }>('show hba_file')
  writeFileSync(
    rows[0]?.hba_file ?? '',
    'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
  )
  await admin.query('select pg_reload_conf()')

  const databaseUrl = (user: string, password: string): string => {
    const url = new URL(postgres.url)
    ;[url.username, url.password] = [user, password]
    return url.href
  }
  createDatabaseRoles(postgres.url, password)
  const migrated = await tollgate(
    { DATABASE_URL: databaseUrl('tollgate_owner', password('owner')) },
    'migrate',
    '--grant',
  )
  if (migrated.code !== 0) throw new Error(migrated.stderr)
  return { admin, databaseUrl }
}
