import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import t from 'tap'
import { createTestAuthority } from '../support/certificates.ts'
import { listenOnLoopback } from '../support/loopback.ts'

const dockerfile = readFileSync('Dockerfile', 'utf8')
const finalStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

t.test('the image has no package manager and runs as a numbered user', async (t) => {
  t.match(finalStage, /^USER [1-9]\d*:[1-9]\d*$/m)
  t.match(finalStage, /^RUN rm -rf .*node_modules .*\/npm .*\/npx /m)
  t.notMatch(finalStage, /apt-get|apk add|npm (ci|install)/)
})

t.test(
  'the image takes only what .dockerignore lists, so no source control and no secrets',
  async (t) => {
    const [everything, ...taken] = readFileSync('.dockerignore', 'utf8').trim().split('\n')
    t.equal(everything, '*')
    t.same(
      taken.filter((line) => !line.startsWith('!')),
      [],
    )
    t.notMatch(taken.join('\n'), /\.git|secrets|data|test/)
  },
)

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
