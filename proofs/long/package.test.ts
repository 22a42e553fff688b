import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { packTarball } from '../../release/pack.ts'
import { makePackageFolder } from '../../release/package-folder.ts'
import { shippedDatabase, unpackDatabase } from '../../src/platform/database/empty-database.ts'
import { killGroup } from '../../test/runner/kill-group.ts'
import { targetsOf } from '../../test/support/page-links.ts'
import { signUpAndIn } from '../../test/support/portal.ts'
import { parseReadyLine, quietEnv } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'

// npm fetches 50 MB.
t.setTimeout(800_000)

const root = fileURLToPath(new URL('../../', import.meta.url))
const revision = '0123456789abcdef0123456789abcdef01234567'

// Below the repository, whose packages it takes.
mkdirSync(join(root, 'dist'), { recursive: true })
const made = mkdtempSync(join(root, 'dist', 'test-package-'))
const machine = mkdtempSync(join(tmpdir(), 'tg-empty-machine-'))
t.teardown(() => {
  for (const folder of [made, machine]) rmSync(folder, { recursive: true, force: true })
})

/** Nothing of this repository: the machine's own Node and npm, and an empty home. */
const emptyMachine = {
  HOME: join(machine, 'home'),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
  // Where a proxy stands between this machine and the registry.
  ...(process.env['NODE_EXTRA_CA_CERTS'] !== undefined && {
    NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
  }),
}
const folder = join(machine, 'folder')
for (const path of [emptyMachine.HOME, folder]) mkdirSync(path)

const run = async (command: string, ...args: readonly string[]): Promise<string> => {
  const done = await promisify(execFile)(command, args, { cwd: folder, env: emptyMachine })
  return done.stdout
}

const beside = join(root, 'deploy', 'secrets')
if (!existsSync(beside)) {
  mkdirSync(beside)
  writeFileSync(join(beside, 'key-pepper'), 'a secret')
  t.teardown(() => rmSync(beside, { recursive: true }))
}
// As a gateway that runs here has one.
const data = join(root, 'data')
if (!existsSync(data)) {
  mkdirSync(data)
  t.teardown(() => rmSync(data, { recursive: true }))
}
const socket = createServer().listen(join(data, `.lock-${randomUUID().slice(0, 8)}`))
await once(socket, 'listening')
// Files that git ignores, wherever a release takes files from.
const ignored = ['bin', 'config', 'deploy', 'docs', 'src'].map((name) =>
  join(root, name, `${randomUUID()}.cpuprofile`),
)
for (const path of ignored) writeFileSync(path, 'measured')
// As a machine has that is careful with its secrets.
const umask = process.umask(0o077)
try {
  await makePackageFolder({ repository: root, folder: join(made, 'package'), revision })
} finally {
  process.umask(umask)
  for (const path of ignored) rmSync(path)
  socket.close()
}
const emptyDatabase = join('src', 'platform', 'database', shippedDatabase)
const tarball = await packTarball(join(made, 'package'), made)

t.test('a release holds JavaScript, no TypeScript, no tests and no development', async (t) => {
  const files = globSync('**/*', { cwd: join(made, 'package') }).filter(
    (path) => !path.startsWith('node_modules/'),
  )
  t.same(
    files.filter((path) => /\.tsx?$|(^|\/)test\//.test(path)),
    [],
  )
  for (const path of [
    'src/cli/main.js',
    'src/gateway/counters/redis/window.lua',
    'NOTICE',
    emptyDatabase,
  ]) {
    t.ok(files.includes(path), path)
  }
  const manifest = JSON.parse(readFileSync(join(made, 'package', 'package.json'), 'utf8'))
  t.notOk('devDependencies' in manifest || 'scripts' in manifest || 'private' in manifest)
  t.equal(manifest.gitHead, revision)
  const bundled = globSync('node_modules/**/package.json', { cwd: join(made, 'package') })
  t.ok(bundled.length > 100, `${bundled.length} manifests`)
  for (const path of bundled) {
    const { engines } = JSON.parse(readFileSync(join(made, 'package', path), 'utf8'))
    t.equal(engines, undefined, `${path}: the launcher chooses the Node`)
  }
})

t.test('a release takes no file that git ignores, such as secrets beside an example', async (t) => {
  const folders = ['bin', 'config', 'deploy', 'docs', 'src']
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...folders],
    { cwd: root, encoding: 'utf8' },
  )
  const known = new Set(
    listed
      .split('\0')
      .map((path) => (path.startsWith('src/') ? path.replace(/\.ts$/, '.js') : path)),
  ).add(emptyDatabase)
  const release = join(made, 'package')
  const taken = folders.flatMap((name) =>
    readdirSync(join(release, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(release, join(entry.parentPath, entry.name))),
  )
  t.ok(taken.length > 800, `${taken.length} files`)
  t.same(
    taken.filter((path) => !known.has(path)),
    [],
  )
})

t.test('everyone may read a release, whatever the umask of its maker', async (t) => {
  const modes = readdirSync(join(made, 'package'), { recursive: true, withFileTypes: true }).map(
    (entry) => {
      const { mode } = statSync(join(entry.parentPath, entry.name))
      return `${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`
    },
  )
  t.same([...new Set(modes)].toSorted(), ['file 644', 'file 755', 'folder 755'])
})

t.test('every link and picture of its pages leads to a file of the release', async (t) => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: join(made, 'package') })
  t.ok(pages.length > 40 && pages.includes('README.md'), `${pages.length} pages`)
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(made, 'package', page), 'utf8')
    return targetsOf(text).flatMap((target) => {
      const [path = ''] = target.split('#')
      return existsSync(join(made, 'package', dirname(page), path)) ? [] : [`${page}: ${target}`]
    })
  })
  t.same(dead, [])
})

t.test('every file of ours that a release names exists', async (t) => {
  const program = join(made, 'package', 'src')
  let seen = 0
  for (const file of globSync('**/*.js', { cwd: program })) {
    const text = readFileSync(join(program, file), 'utf8')
    for (const [, name = ''] of text.matchAll(
      /(?:\bfrom |\bimport |\bimport\(\s*|\bnew URL\()'(\.{1,2}\/[^']+)'/g,
    )) {
      seen += 1
      const target = new URL(name, `file://${join(program, file)}`)
      t.ok(statSync(target, { throwIfNoEntry: false }) !== undefined, `${file}: ${name}`)
    }
  }
  t.ok(seen > 1_000, `${seen} names`)
})

t.test('installed without Node, a release takes at most 60 MB of disk', async (t) => {
  await run('npm', 'install', '--omit=optional', tarball)
  const kilobytes = Number((await run('du', '-sk', 'node_modules')).split('\t')[0])
  figure(`${kilobytes} KB`)
  t.ok(kilobytes > 10_000 && kilobytes <= 60_000, `${kilobytes} KB`)
})

t.test(
  'npm 11 and npm 12 install the same files, with an empty cache and without a network',
  async (t) => {
    const trees: string[] = []
    for (const version of ['11', '12']) {
      const own = join(machine, `npm-${version}`)
      mkdirSync(own)
      await run('npm', 'install', '--prefix', own, `npm@${version}`)
      const npm = join(own, 'node_modules', 'npm')
      const { version: exact } = JSON.parse(readFileSync(join(npm, 'package.json'), 'utf8'))
      t.equal(exact.split('.')[0], version)
      const alone = mkdtempSync(join(machine, 'alone-'))
      const args = ['install', '--offline', '--cache', join(alone, 'cache'), '--omit=optional']
      await promisify(execFile)(
        'unshare',
        ['--net', process.execPath, join(npm, 'bin', 'npm-cli.js'), ...args, tarball],
        { cwd: alone, env: emptyMachine },
      )
      trees.push(digestOfFolder(join(alone, 'node_modules')))
      figure(`npm ${exact}`)
    }
    t.equal(trees[0], trees[1])
  },
)

/** SHA-256 over the names and contents of all files but npm's own. */
function digestOfFolder(path: string): string {
  const hash = createHash('sha256')
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.package-lock.json')
    .toSorted((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
    const file = join(entry.parentPath, entry.name)
    hash.update(`${relative(path, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** They do something as soon as they are loaded. */
const programs = /\/(main|worker|create-database|embedded-database-worker)\.js$/

t.test('every file of a release finds all packages that it imports', async (t) => {
  await run('npm', 'install', tarball)
  const program = join(folder, 'node_modules', 'tollgate', 'src')
  const files = globSync('**/*.js', { cwd: program })
    .map((file) => join(program, file))
    .filter((file) => !programs.test(file))
  t.ok(files.length > 800, `${files.length} files`)
  const load = 'for (const file of process.argv.slice(1)) await import(file)'
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load, ...files])

  // Packages that a file requires only when it needs them.
  const required = files.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /\brequire\('([^']+)'\)|import\.meta\.url\)\('([^']+)'\)/g,
      ),
    ].map(([, name = '', other = '']) => ({ file, name: name || other })),
  )
  t.ok(required.length >= 2, `${required.length} names`)
  for (const { file, name } of required) {
    t.ok(existsSync(createRequire(file).resolve(name)), `${file} requires ${name}`)
  }
})

t.test(
  '`npx tollgate` from the tarball serves on an empty machine, and stops cleanly',
  async (t) => {
    t.match(await run('npx', 'tollgate', '--version'), `(${revision})\n`)
    t.match(
      await run('npx', 'tollgate', 'check'),
      /xs2a +│ 1\.7\.0 (?:.*\n)+The configuration is valid\./,
    )
    t.match(
      await run('npx', 'tollgate', 'settings', '--all'),
      /CONFIG_DIR.*node_modules\/tollgate\/config/,
    )
    await t.rejects(run('npx', 'tollgate', 'migrate', '--check'), { code: 1 }, 'no tables yet')

    const ownConfig = join(folder, 'config')
    cpSync(join(folder, 'node_modules', 'tollgate', 'config'), ownConfig, { recursive: true })
    const plan = join(ownConfig, 'plans', 'default.yaml')
    writeFileSync(plan, readFileSync(plan, 'utf8').replace(/calls: \d+/, 'calls: -7'))
    await t.rejects(
      run('npx', 'tollgate', 'check'),
      { code: 1, stdout: /default\.yaml:\d+ limit-calls: / },
      'a fault in a configuration of one’s own is named',
    )
    rmSync(ownConfig, { recursive: true })

    const { child, urls, log } = await startOnEmptyMachine(t)

    const page = await (await fetch(urls.portal)).text()
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    t.equal((await fetch(new URL(script, urls.portal))).status, 200, `${script} of the page`)
    t.equal((await fetch(`${urls.sca}/fonts/inter-5.3.0.woff2`)).status, 200, 'a font of the bank')

    // Its password is judged in a thread and hashed by the package that npm has fetched for this platform.
    const dataDir = join(folder, 'data')
    const email = 'developer@tollgate.example'
    const portal = await signUpAndIn({ dataDir, urls }, { email })
    t.equal((await portal.get('/api/session')).status, 200)

    const onboarded = await run(
      ...(['npx', 'tollgate', 'onboard', '--email', email, '--application', 'Budget app'] as const),
      '--api',
      'xs2a@1.7.0',
      '--consent',
      '--json',
    )
    const { key, consentId } = JSON.parse(onboarded)
    const accounts = await fetch(`${urls.gateway}/v1.7.0/accounts`, {
      headers: {
        'X-API-Key': key,
        'Consent-ID': consentId,
        'X-Request-ID': randomUUID(),
        'PSU-IP-Address': '127.0.0.1',
      },
    })
    t.equal(accounts.status, 200, await accounts.text())

    const metrics = await (await fetch(`${urls.management}/metrics`)).text()
    t.match(metrics, new RegExp(`^gateway_build_info\\{.*revision="${revision}".*\\} 1$`, 'm'))

    // Ctrl+C reaches npm and the program at once.
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await until(log(), async () => /"msg":"stopped"/.test(log()))
    t.notOk(existsSync(join(dataDir, 'tollgate.pid')), 'the data folder is free again')

    const shipped = join(machine, 'shipped')
    mkdirSync(shipped)
    const packed = readFileSync(join(folder, 'node_modules', 'tollgate', emptyDatabase))
    await unpackDatabase(packed, shipped)
    const identifierOf = (database: string) =>
      readFileSync(join(database, 'global', 'pg_control')).readBigUInt64LE()
    t.equal(
      identifierOf(join(dataDir, 'database')),
      identifierOf(shipped),
      'the database is that of the release',
    )
  },
)

/** Starts everything as the first command of a user does; resolves at the ready line. */
async function startOnEmptyMachine(t: Test) {
  const child = spawn('npx', ['tollgate', 'start'], {
    cwd: folder,
    env: { ...emptyMachine, ...quietEnv, LOG_LEVEL: 'info', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, as a shell gives to what runs in its terminal.
    detached: true,
  })
  let written = ''
  child.stderr.on('data', (chunk) => {
    written += String(chunk)
  })
  t.teardown(() => killGroup(child))
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('tollgate ready ')) {
      return { child, urls: parseReadyLine(line), log: () => written }
    }
  }
  throw new Error(`it ended before it was ready: ${written}`)
}
