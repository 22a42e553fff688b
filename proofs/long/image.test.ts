import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { packTarball } from '../../release/pack.ts'
import { makePackageFolder } from '../../release/package-folder.ts'
import { freePort } from '../../test/support/free-port.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'

// A Debian to build in, all packages for development, and two images.
t.setTimeout(900_000)

const revision = '0123456789abcdef0123456789abcdef01234567'
const megabyte = 1_000_000
const uid = 1000

/** Why no image can be built here; false if one can. */
function buildingMissing(): string | false {
  if (process.getuid?.() !== 0) return 'only root builds images'
  const missing = ['buildah', 'debootstrap', 'unshare', 'npm'].filter(
    (program) => spawnSync('which', [program]).status !== 0,
  )
  return missing.length > 0 && `${missing.join(', ')} not installed`
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  }).trim()
}

const folder = mkdtempSync(join(tmpdir(), 'tg-image-'))
const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
const buildah = (...args: readonly string[]): string => run('buildah', ...storage, ...args)
t.teardown(() => {
  if (existsSync(join(folder, 'storage'))) {
    buildah('rm', '--all')
    buildah('rmi', '--all', '--force')
  }
  rmSync(folder, { recursive: true, force: true })
})

/**
 * In place of the image of Node that the Dockerfile begins with, which a machine without a registry cannot have: a small
 * Debian with the Node of the project, npm, and the authorities that this machine trusts.
 */
function makeBase(): string {
  const root = join(folder, 'debian')
  run('debootstrap', '--variant=minbase', '--include=libatomic1,libstdc++6', 'bookworm', root)
  const local = join(root, 'usr', 'local')
  copyFileSync(process.execPath, join(local, 'bin', 'node'))
  const npm = dirname(dirname(realpathSync(run('which', 'npm'))))
  mkdirSync(join(local, 'lib', 'node_modules'), { recursive: true })
  cpSync(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'))
  const authorities = '/etc/ssl/certs/ca-certificates.crt'
  mkdirSync(dirname(join(root, authorities)), { recursive: true })
  if (existsSync(authorities)) copyFileSync(authorities, join(root, authorities))
  const container = buildah('from', 'scratch')
  buildah('add', '--quiet', container, root, '/')
  buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin', container)
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, container)
  buildah('commit', '--quiet', container, 'localhost/node')
  buildah('rm', container)
  rmSync(root, { recursive: true })
  return 'localhost/node'
}

function build(dockerfile: string, context: string, base: string, name: string): void {
  const given = { NODE_IMAGE: base, VERSION: '0.0.0', REVISION: revision, SOURCE: 'here' }
  const args = Object.entries(given).map(([key, value]) => `--build-arg=${key}=${value}`)
  const how = ['--quiet', '--isolation=chroot', '--network=host', '--layers', '--format=docker']
  buildah('bud', ...how, ...args, '--file', dockerfile, '--tag', name, context)
}

/** A release and its tarball in one folder, as docs/production.md says. */
async function unpackRelease(): Promise<string> {
  // Below the repository, whose packages it takes.
  mkdirSync('dist', { recursive: true })
  const made = mkdtempSync(join('dist', 'test-image-'))
  try {
    await makePackageFolder({
      repository: process.cwd(),
      folder: join(process.cwd(), made, 'package'),
      revision,
    })
    const tarball = await packTarball(join(made, 'package'), made)
    const context = join(folder, 'tollgate')
    mkdirSync(context)
    run('tar', '-xzf', tarball, '-C', context, '--strip-components=1')
    copyFileSync(tarball, join(context, basename(tarball)))
    return context
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** What an image says of itself, as the format of Docker has it. */
interface ImageFacts {
  readonly config: {
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Labels: Readonly<Record<string, string>>
    readonly User: string
    /** `CMD`, then the command. */
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
  readonly rootfs: { readonly diff_ids: readonly string[] }
}

function inspect(name: string): ImageFacts {
  // Parse boundary: what buildah prints.
  return JSON.parse(buildah('inspect', '--type=image', name)).Docker as ImageFacts
}

interface Container {
  readonly image: ImageFacts
  /** The file system. */
  readonly root: string
  readonly data: string
}

/** The file system of an image with what a runtime of containers adds. */
function mountImage(name: string): Container {
  const root = buildah('mount', buildah('from', name))
  const data = mkdtempSync(join(folder, 'data-'))
  chownSync(data, uid, uid)
  for (const added of ['proc', 'dev']) mkdirSync(join(root, added), { recursive: true })
  copyFileSync('/etc/hosts', join(root, 'etc', 'hosts'))
  return { image: inspect(name), root, data }
}

/** A command in a container: with process ids and mounts of its own, as the user of the image. */
function contained({ root, data }: Container, command: readonly string[]): readonly string[] {
  const steps = [
    `mount --bind ${data} ${root}/data`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `exec /usr/sbin/chroot --userspec=${uid}:${uid} ${root} "$@"`,
  ]
  const own = ['--mount', '--pid', '--fork', '--kill-child']
  return [...own, 'sh', '-ec', steps.join('\n'), 'sh', ...command]
}

/** The image's variables, with ports that are free here. */
async function environment({ config }: ImageFacts): Promise<Record<string, string>> {
  const given = Object.fromEntries(
    config.Env.map((entry) => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(entry) ?? []
      return [name, value]
    }),
  )
  const names = ['GATEWAY', 'PORTAL', 'BACKEND', 'SCA', 'MANAGEMENT']
  const ports = await Promise.all(
    names.map(async (name) => [`${name}_PORT`, String(await freePort())] as const),
  )
  // The network of this machine: without TLS, no other one may reach them.
  const hosts = names.map((name) => [`${name}_HOST`, '127.0.0.1'] as const)
  const own = Object.fromEntries([...ports, ...hosts])
  return { ...given, LOG_LEVEL: 'warn', ...own }
}

/** The first process of the container of `unshare`. */
function firstProcess({ pid }: ChildProcess): number | undefined {
  const path = `/proc/${pid}/task/${pid}/children`
  const [first] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : []
  return first === undefined || first === '' ? undefined : Number(first)
}

async function start(t: Test, container: Container) {
  const env = await environment(container.image)
  const child = spawn(
    'unshare',
    contained(container, [...container.image.config.Entrypoint, 'start']),
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    env,
    ended,
    ready: () =>
      Promise.race([
        until('the program is ready', () => output.startsWith('tollgate ready ')),
        ended.then((code) => Promise.reject(new Error(`it ended with ${code} before`))),
      ]),
    terminate() {
      const first = firstProcess(child)
      if (first === undefined) throw new Error('the container has no first process')
      process.kill(first, 'SIGTERM')
    },
    /** Whether the first process is Node; until then it is what makes the container. */
    isNode() {
      const first = firstProcess(child)
      return first !== undefined && readFileSync(`/proc/${first}/comm`, 'utf8').startsWith('node')
    },
  }
}

t.test(
  'the image of a checkout and that of a release are small, have no shell, and start, serve and stop',
  { skip: buildingMissing() },
  async (t) => {
    const base = makeBase()
    build('Dockerfile', '.', base, 'checkout')
    build('deploy/Dockerfile.release', await unpackRelease(), base, 'release')

    t.same(
      inspect('checkout').rootfs.diff_ids.slice(0, 2),
      inspect('release').rootfs.diff_ids.slice(0, 2),
      'the same system and packages are the same layers',
    )
    for (const name of ['checkout', 'release']) {
      t.test(`${name}: its size, its layers, and what it lacks`, async (t) => {
        const { image, root } = mountImage(name)
        const bytes = Number(run('du', '-s', '-B1', '--exclude=proc', root).split('\t')[0])
        const pushed = join(folder, `${name}-oci`)
        buildah('push', '--quiet', name, `oci:${pushed}`)
        const compressed = Number(run('du', '-s', '-B1', pushed).split('\t')[0])
        figure(
          `${name}: ${Math.round(bytes / megabyte)} MB, compressed ${Math.round(compressed / megabyte)} MB`,
        )
        t.ok(bytes <= 250 * megabyte, `${bytes} bytes on disk`)
        t.ok(compressed <= 110 * megabyte, `${compressed} bytes compressed`)
        const shells = run(
          'find',
          root,
          '-xdev',
          '-regex',
          '.*/\\(ba\\|da\\|z\\|a\\)?sh\\|.*/busybox',
        )
        t.equal(shells, '', 'no shell')
        t.notOk(existsSync(join(root, 'usr/local/bin/npm')), 'no npm')

        const { config, rootfs } = image
        t.equal(rootfs.diff_ids.length, 3, 'the system, the packages, the program')
        t.match(config.Labels, { 'org.opencontainers.image.revision': revision })
        t.equal(config.User, `${uid}:${uid}`)
      })

      t.test(`${name}: it serves, with \`tollgate\` on the PATH, and stops`, async (t) => {
        const container = mountImage(name)
        const program = await start(t, container)
        await program.ready()
        const management = `http://127.0.0.1:${program.env['MANAGEMENT_PORT']}`
        t.equal((await fetch(`${management}/readyz`)).status, 200)
        const metrics = await (await fetch(`${management}/metrics`)).text()
        t.match(metrics, `revision="${revision}"`)
        const page = await fetch(`http://127.0.0.1:${program.env['PORTAL_PORT']}/`)
        t.match(await page.text(), '<script')

        const inside = async (...command: string[]): Promise<string> => {
          const { stdout } = await promisify(execFile)(
            'unshare',
            contained(container, ['/usr/bin/env', ...command]),
            { env: program.env },
          )
          return stdout
        }
        t.match(await inside('tollgate', '--version'), revision)
        const onboarded = JSON.parse(
          await inside(
            'tollgate',
            'onboard',
            '--email',
            'a@app.example',
            '--application',
            'A',
            '--api',
            'xs2a@1.7.0',
            '--consent',
            '--json',
          ),
        )
        const call = await fetch(
          `http://127.0.0.1:${program.env['GATEWAY_PORT']}/v1.7.0/accounts`,
          {
            headers: {
              'X-API-Key': onboarded.key,
              'Consent-ID': onboarded.consentId,
              'X-Request-ID': crypto.randomUUID(),
              'PSU-IP-Address': '127.0.0.1',
            },
          },
        )
        t.equal(call.status, 200, await call.text())
        const [kind, ...health] = container.image.config.Healthcheck.Test
        t.equal(kind, 'CMD')
        await t.resolves(inside(...health), 'the health check')

        program.terminate()
        t.equal(await program.ended, 0)
      })
    }

    t.test('SIGTERM at any moment of the start ends the first process', async (t) => {
      // Before Node runs its first line, the kernel drops the signal.
      for (const waitMs of [100, 300, 700, 1_500]) {
        const container = mountImage('checkout')
        const program = await start(t, container)
        await until('the first process is Node', program.isNode)
        await delay(waitMs)
        const sentAt = performance.now()
        program.terminate()
        const code = await program.ended
        const tookMs = performance.now() - sentAt
        t.ok(code === 0 || code === 143, `after ${waitMs} ms: ${code}`)
        t.ok(tookMs < 10_000, `ended ${Math.round(tookMs)} ms later`)
      }
    })
  },
)
