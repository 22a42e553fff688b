import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { freePort } from '../../src/platform/http/free-port.ts'
import { runTollgate } from '../support/tollgate.ts'

const { urls } = await runTollgate(t)
const { port } = new URL(urls.portal)
const atItsAddress = `Host: 127.0.0.1:${port}`
const asBrowser = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8'

/** Status and location of the answer to a request with these fields as written. */
async function askedWith(target: string, fields: readonly string[], method = 'GET') {
  const socket = connect(Number(port), '127.0.0.1')
  const head = [`${method} ${target} HTTP/1.1`, ...fields, 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer = ''] = (await text(socket)).split('\r\n\r\n', 1)
  return [Number(answer.slice(9, 12)), /^location: (.*)$/im.exec(answer)?.[1]?.trim()]
}

t.test('a browser at 127.0.0.1 is led to the same page of localhost', async (t) => {
  t.equal(new URL(urls.portal).hostname, 'localhost')
  for (const target of [
    '/',
    '/sign-in?next=%2Fapplications',
    '/apis/xs2a/1.7.0?q=a%26b',
    '/guides/consent',
    '/problems/key-invalid',
    '/mailbox',
    '/no-such-page',
  ]) {
    const led = [307, `${urls.portal}${target}`]
    t.same(await askedWith(target, [atItsAddress, asBrowser]), led, target)
    t.same(await askedWith(target, [atItsAddress, asBrowser], 'HEAD'), led, `HEAD ${target}`)
  }
  for (const host of [`127.3.2.1:${port}`, `[::1]:${port}`]) {
    t.same(await askedWith('/', [`Host: ${host}`, asBrowser]), [307, `${urls.portal}/`], host)
  }
})

t.test(
  'programs, other ports, other names and clients of a proxy stay where they are',
  async (t) => {
    for (const [what, target, fields] of [
      ['a program', '/', [atItsAddress, 'Accept: */*']],
      ['a program without Accept', '/', [atItsAddress]],
      ['the JSON API', '/api/apis', [atItsAddress, asBrowser]],
      ['Markdown', '/llms.txt', [atItsAddress, 'Accept: text/markdown']],
      ['its name', '/', [`Host: localhost:${port}`, asBrowser]],
      ['its name, as typed', '/', [`Host: LocalHost:${port}`, asBrowser]],
      ['a tunnel from another port', '/', ['Host: 127.0.0.1:9000', asBrowser]],
      ['a proxy that keeps no port', '/', ['Host: 127.0.0.1', asBrowser]],
      [
        'a proxy that names its client',
        '/',
        [atItsAddress, asBrowser, 'X-Forwarded-For: 192.0.2.1'],
      ],
      ['another name', '/', [`Host: gateway.internal:${port}`, asBrowser]],
    ] as const) {
      t.same(await askedWith(target, fields), [200, undefined], what)
    }
  },
)

t.test('a portal that is published at 127.0.0.1 serves browsers there', async (t) => {
  const own = await freePort({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${own}`
  await runTollgate(t, { env: { PORTAL_PORT: String(own), PORTAL_PUBLIC_URL: origin } })
  const answer = await fetch(origin, { headers: { accept: 'text/html' }, redirect: 'manual' })
  t.equal(answer.status, 200)
})
