import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { tollgate } from '../support/cli.ts'
import type { Test } from '../support/database.ts'
import { listenOnLoopback } from '../support/loopback.ts'

const backend = ['--backend', 'http://10.0.0.7:3000']

function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-publish-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes files, and returns the path of the first. */
function written(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder(t)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return join(folder, Object.keys(files)[0] ?? '')
}

const orders = `openapi: 3.0.3
info: { title: Order Desk, version: v2.1-beta }
servers: [{ url: https://api.example.com/orders/v2 }]
paths:
  /orders/{id}:
    get: { responses: { 200: { description: an order } } }
  /orders:
    get: { responses: { 200: { description: the orders } } }
`

t.test(
  'a document is published unchanged into an empty folder, with an overlay and a plan',
  async (t) => {
    const CONFIG_DIR = join(emptyFolder(t), 'config')
    const file = written(t, { 'openapi.yaml': orders })
    const { stdout, code } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
    t.equal(code, 0, stdout)
    t.match(stdout, /^order-desk@2\.1 is published\./)
    for (const text of [
      '/orders/v2',
      'Backend     http://10.0.0.7:3000/orders/v2\n',
      'GET /orders/v2/orders/{id}',
    ]) {
      t.ok(stdout.includes(text), text)
    }
    const path = join(CONFIG_DIR, 'apis/order-desk')
    t.equal(readFileSync(join(path, '2.1.yaml'), 'utf8'), orders)
    t.match(
      readFileSync(join(path, '2.1.overlay.yaml'), 'utf8'),
      /backend: http:\/\/10\.0\.0\.7:3000/,
    )
    const check = await tollgate({ CONFIG_DIR }, 'check', '--json')
    t.match(JSON.parse(check.stdout), {
      versions: [{ api: 'order-desk', version: '2.1', operations: 2, plans: ['default'] }],
      plans: [{ name: 'default', limits: [{ calls: 100, windowSeconds: 3600 }] }],
    })
    const files = () =>
      ['2.1.yaml', '2.1.overlay.yaml'].map((name) => readFileSync(join(path, name), 'utf8')).join()
    const before = files()
    const again = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
    t.match(again, { code: 0, stdout: /^order-desk@2\.1 is unchanged: nothing was written\./ })
    t.equal(files(), before)
  },
)

t.test('publish ends with the commands that lead to a first call', async (t) => {
  const env = {
    CONFIG_DIR: join(emptyFolder(t), 'config'),
    DATA_DIR: emptyFolder(t),
    PORTAL_PUBLIC_URL: 'https://portal.example.com',
  }
  const file = written(t, { 'openapi.yaml': orders })
  const onboard = 'npx tollgate onboard --email you@example.com --application Shop --api'
  const { stdout } = await tollgate(env, 'publish', file, ...backend)
  const [, next = ''] = stdout.split('Next, in this folder:\n')
  t.same(
    next
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/)[0]),
    [
      'npx tollgate start',
      `${onboard} order-desk@2.1`,
      'https://portal.example.com',
      'npx tollgate check --strict',
    ],
  )
  writeFileSync(
    join(env.CONFIG_DIR, 'plans/gold.yaml'),
    readFileSync(join(env.CONFIG_DIR, 'plans/default.yaml'), 'utf8').replace('order-desk', 'other'),
  )
  const other = ['--api', 'other', '--prefix', '/other', '--plan', 'gold']
  const { stdout: gold } = await tollgate(env, 'publish', file, ...backend, ...other)
  t.match(gold, `${onboard} other@2.1 --plan gold `)
})

t.test('publish says how it made the version, and which limit a new plan has', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders })
  const { stdout } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  t.match(
    stdout,
    'Version     2.1, because versions are numbers with dots: info.version is v2.1-beta; --version chooses another\n',
  )
  t.match(stdout, 'Plan        default, a new plan: 100 calls an hour for each operation\n')
  const next = ['--version', '3', '--prefix', '/next']
  const chosen = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, ...next)
  t.notMatch(chosen.stdout, 'Version ')
  t.match(chosen.stdout, 'Plan        default\n')
})

t.test('a version that is a number is published as the document spells it', async (t) => {
  for (const version of ['1.0', '2.10']) {
    const CONFIG_DIR = join(emptyFolder(t), 'config')
    const yaml = orders.replace('v2.1-beta', version)
    const json = `{ "openapi": "3.0.3", "info": { "title": "Order Desk", "version": ${version} }, "paths": {} }`
    for (const [name, text] of [
      ['openapi.yaml', yaml],
      ['openapi.json', json],
    ] as const) {
      const file = written(t, { [name]: text })
      const { stdout } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, '--dry-run')
      t.ok(stdout.startsWith(`order-desk@${version} can be published.`), `${name}: ${stdout}`)
      t.notMatch(stdout, 'Version ', 'there is nothing to explain')
    }
  }
})

t.test('a twin of what is published is named, whether mended or not', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders })
  await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  const publish = (place: string, api: string, ...more: readonly string[]) =>
    tollgate({ CONFIG_DIR }, 'publish', place, ...backend, '--api', api, ...more)
  const refused = await publish(file, 'desk')
  t.match(refused, { code: 1, stdout: '\nNote: order-desk@2.1 already has the same document\n' })
  const mended = await publish(file, 'desk', '--mend')
  t.match(mended.stdout, 'Note        order-desk@2.1 already has the same document\n')
  t.match(mended.stdout, 'Prefix      /desk/v2.1, because another version has operations under')
  const respelt = written(t, { 'openapi.yaml': orders.replace('an order', 'one order') })
  const same = await publish(respelt, 'third', '--prefix', '/third')
  t.match(same.stdout, 'order-desk@2.1 already has the same operations at the same backend\n')
  const elsewhere = await publish(
    respelt,
    'fourth',
    '--prefix',
    '/4',
    '--backend',
    'http://10.0.0.8',
  )
  t.notMatch(elsewhere.stdout, /order-desk@2\.1 already/)
})

t.test('the answer is data with --json, and a dry run writes nothing', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders })
  const options = ['--api', 'desk', '--version', '3', '--prefix', '/desk', '--dry-run', '--json']
  const { stdout, code } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, ...options)
  t.equal(code, 0)
  const { warnings, ...answer } = JSON.parse(stdout)
  t.match(warnings, [
    { kind: 'operation-id-missing', count: 2, place: file, line: 6, message: /operationId/ },
    { kind: 'parameter-undeclared', count: 1, place: file, line: 6, message: /\{id\}/ },
  ])
  t.strictSame(answer, {
    outcome: 'dry-run',
    api: 'desk',
    version: '3',
    prefix: '/desk',
    operations: 2,
    refused: [],
    leftOut: [],
    twins: [],
    mend: null,
  })
  t.notOk(existsSync(CONFIG_DIR))
})

t.test('a program learns from --json what the text says', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': `${orders}  /bad//path: { get: { responses: {} } }\n` })
  const publish = async (...args: readonly string[]) =>
    JSON.parse((await tollgate({ CONFIG_DIR }, 'publish', ...args, ...backend, '--json')).stdout)
  const refused = await publish(file)
  t.match(refused, { outcome: 'refused', leftOut: [] })
  t.match(refused.mend, /^overlay: 1\.1\.0\n[\s\S]*\$\.paths\['\/bad\/\/path'\]/)
  const leftOut = ['GET /bad//path']
  t.match(await publish(file, '--mend'), { outcome: 'published', leftOut, mend: null })
  t.match(await publish(file), { outcome: 'unchanged', leftOut })
  t.match(await publish(file, '--api', 'desk', '--mend'), {
    outcome: 'published',
    twins: ['order-desk@2.1 already has the same document'],
  })
  t.strictSame(Object.keys(await publish('nothing.yaml')), Object.keys(refused))
})

t.test('files that the document refers to come along', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const document = orders.replace('description: an order ', "$ref: './parts/order.yaml#/order' ")
  const file = written(t, {
    'openapi.yaml': document,
    'parts/order.yaml':
      "order: { description: an order, headers: { X-A: { $ref: 'headers.json#/a' } } }\n",
    'parts/headers.json': '{ "a": { "schema": { "type": "string" } } }',
    'parts/unrelated.yaml': 'a: 1\n',
  })
  const { code, stderr, stdout } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  t.equal(code, 0, stdout + stderr)
  const folder = join(CONFIG_DIR, 'apis/order-desk')
  t.ok(existsSync(join(folder, 'parts/order.yaml')))
  t.ok(existsSync(join(folder, 'parts/headers.json')))
  t.notOk(existsSync(join(folder, 'parts/unrelated.yaml')))
  t.equal((await tollgate({ CONFIG_DIR }, 'check')).code, 0)
})

t.test('a document comes from a URL', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/openapi.yaml') response.end(orders)
    else response.writeHead(404).end()
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  t.teardown(() => server.close())
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const { code } = await tollgate({ CONFIG_DIR }, 'publish', `${url}/openapi.yaml`, ...backend)
  t.equal(code, 0)
  t.equal(readFileSync(join(CONFIG_DIR, 'apis/order-desk/2.1.yaml'), 'utf8'), orders)
  const missing = await tollgate({ CONFIG_DIR }, 'publish', `${url}/other.yaml`, ...backend)
  t.match(
    [missing.code, missing.stderr],
    [1, /cannot fetch .*other\.yaml: the server answered 404/],
  )
})

t.test('a document that begins with a brace is YAML or JSON by what it is', async (t) => {
  const flow = `{ openapi: 3.0.3, info: { title: Desk, version: '1' }, paths: { /a: { get: {} } } }\n`
  const json = JSON.stringify({ openapi: '3.0.3', info: { title: 'Desk', version: '1' } })
  const texts = new Map([
    ['/openapi.yaml?raw=1', flow],
    ['/openapi', flow],
    ['/openapi?as=json', json],
    ['/broken', json.replace('"1"', '"1')],
    ['/broken.json', json.replace('}}', '},}')],
  ])
  const server = createServer(({ url = '' }, response) => void response.end(texts.get(url)))
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  t.teardown(() => server.close())
  const published = async (path: string) => {
    const CONFIG_DIR = join(emptyFolder(t), 'config')
    const { code, stderr } = await tollgate({ CONFIG_DIR }, 'publish', url + path, ...backend)
    const found = ['yaml', 'json'].map((format) => textAt(CONFIG_DIR, `apis/desk/1.${format}`))
    return code === 0 ? found : stderr
  }
  t.same(await published('/openapi.yaml?raw=1'), [flow, undefined])
  t.same(await published('/openapi'), [flow, undefined])
  t.same(await published('/openapi?as=json'), [undefined, json])
  t.match(await published('/broken'), /broken:1 yaml-syntax: the file is not JSON: /)
  t.match(await published('/broken.json'), /broken\.json:1 yaml-syntax: the file is not JSON: /)
})

function textAt(folder: string, path: string): string | undefined {
  const file = join(folder, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

t.test('a plan keeps its comments, and gets the API once', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders })
  await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  const path = join(CONFIG_DIR, 'plans/default.yaml')
  const plan = `# For everybody.\n${readFileSync(path, 'utf8').replace('order-desk@*', 'order-desk@2.1')}`
  writeFileSync(path, plan)
  await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, '--api', 'desk', '--prefix', '/desk')
  t.equal(
    readFileSync(path, 'utf8'),
    plan.replace("'order-desk@2.1'", "'order-desk@2.1', desk@*").replace(/\[ ?(.*?) ?\]/, '[ $1 ]'),
  )
  const unknown = ['--plan', 'gold', '--api', 'gold-desk', '--prefix', '/gold']
  const asked = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, ...unknown)
  t.match([asked.code, asked.stderr], [2, /--plan "gold" is not a plan; there are: default/])
})

t.test('a version is replaced only if asked; its overlay keeps what it says', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders })
  await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  const overlay = join(CONFIG_DIR, 'apis/order-desk/2.1.overlay.yaml')
  writeFileSync(
    overlay,
    `${readFileSync(overlay, 'utf8')}  # Ours.\n  - target: $.info\n    update: { x-own: true }\n`,
  )
  const changed = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Order Desk', version: '2.1' },
    paths: {
      '/orders': { get: { operationId: 'list', responses: { 200: { description: 'a' } } } },
    },
  })
  const other = written(t, { 'openapi.json': changed })
  const refused = await tollgate({ CONFIG_DIR }, 'publish', other, ...backend)
  t.match([refused.code, refused.stderr], [1, /2\.1\.yaml exists\. --replace replaces it/])
  const again = ['--backend', 'http://10.0.0.8/base', '--replace']
  const { code, stderr } = await tollgate({ CONFIG_DIR }, 'publish', other, ...again)
  t.equal(code, 0, stderr)
  t.notOk(existsSync(join(CONFIG_DIR, 'apis/order-desk/2.1.yaml')))
  t.equal(readFileSync(join(CONFIG_DIR, 'apis/order-desk/2.1.json'), 'utf8'), changed)
  t.match(readFileSync(overlay, 'utf8'), /http:\/\/10\.0\.0\.8\/base[\s\S]*# Ours\.[\s\S]*x-own/)
})

t.test('no file of another version, and no plan of other versions, is changed', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const withPart = (version: string, text: string) =>
    written(t, {
      'openapi.yaml': orders
        .replace('v2.1-beta', version)
        .replace('/orders/v2', `/orders/${version}`)
        .replace('description: an order ', "$ref: 'common.yaml#/order' "),
      'common.yaml': `order: { description: ${text} }\n`,
    })
  const first = await tollgate({ CONFIG_DIR }, 'publish', withPart('2', 'two'), ...backend)
  t.equal(first.code, 0, first.stderr)
  const second = await tollgate({ CONFIG_DIR }, 'publish', withPart('3', 'three'), ...backend)
  t.match([second.code, second.stderr], [1, /common\.yaml exists with other content\. --replace/])
  t.match(readFileSync(join(CONFIG_DIR, 'apis/order-desk/common.yaml'), 'utf8'), /two/)
  const named = written(t, {
    'openapi.yaml': orders.replace('description: an order ', "$ref: '2.yaml#/order' "),
    '2.yaml': 'order: { description: a }\n',
  })
  const asVersion = await tollgate({ CONFIG_DIR }, 'publish', named, ...backend, '--replace')
  t.match([asVersion.code, asVersion.stderr], [1, /2\.yaml, whose name means a version/])
  const above = written(t, {
    'api/openapi.yaml': orders.replace('description: an order ', "$ref: '../a.yaml#/order' "),
    'a.yaml': 'order: { description: a }\n',
  })
  const outside = await tollgate({ CONFIG_DIR }, 'publish', above, ...backend, '--api', 'other')
  t.match(
    [outside.code, outside.stderr],
    [1, /refers to \.\.\/a\.yaml, which lies above its folder/],
  )

  const plan = join(CONFIG_DIR, 'plans/default.yaml')
  const chosen = readFileSync(plan, 'utf8').replace('order-desk@*', 'order-desk@2')
  writeFileSync(plan, chosen)
  const gold = chosen.replace('Default', 'Gold').replace('order-desk@2', 'order-desk@2')
  writeFileSync(join(CONFIG_DIR, 'plans/gold.yaml'), gold)
  const file = written(t, { 'openapi.yaml': orders })
  const unasked = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  t.match([unasked.code, unasked.stderr], [2, /--plan is missing: which plan gets order-desk@2\.1/])
  const { stdout } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, '--plan', 'gold')
  t.match(stdout, /Plan +gold, now also offers order-desk@2\.1/)
  t.equal(readFileSync(plan, 'utf8'), chosen)
})

t.test(
  'without CONFIG_DIR, the document is written to the folder config, and not to the samples',
  async (t) => {
    const folder = emptyFolder(t)
    const file = written(t, { 'openapi.yaml': orders })
    const launcher = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url))
    const args = [launcher, 'publish', file, ...backend]
    const publish = () => {
      const env = { PATH: process.env['PATH'] }
      return execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
    }
    const first = publish()
    t.equal(readFileSync(join(folder, 'config/apis/order-desk/2.1.yaml'), 'utf8'), orders)
    t.match(first, 'if it runs, stop it first: it serves the samples')
    const [, command = ''] = /^ *(cp -r .*)$/m.exec(first) ?? []
    execFileSync('sh', ['-c', command], { cwd: folder })
    t.match(publish(), /published[\s\S]*if it runs: tollgate reload/)
    t.ok(existsSync(join(folder, 'config/apis/xs2a/1.7.0.yaml')))
    t.ok(existsSync(join(folder, 'config/apis/order-desk/2.1.yaml')))
  },
)

t.test('what an overlay can mend is shown, and mended if asked', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': `${orders}  /bad//path: { get: { responses: {} } }\n` })
  const { code, stdout } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  t.equal(code, 1)
  t.match(
    stdout,
    /openapi\.yaml:\d+ path-segment: .*\n1 problem: order-desk@2\.1 cannot be published/,
  )
  t.match(
    stdout,
    /This overlay fixes the document; --mend saves it:\n\noverlay: 1\.1\.0\n[\s\S]*\$\.paths\['\/bad\/\/path'\]/,
  )
  t.notOk(existsSync(CONFIG_DIR), 'nothing is written')
  const withOther = written(t, {
    'openapi.yaml': `${orders}  /bad//path: {}\nx-tollgate: { other: 1 }\n`,
  })
  const partly = await tollgate({ CONFIG_DIR }, 'publish', withOther, ...backend)
  t.match(partly.stdout, /cannot be published/)
  t.notMatch(partly.stdout, /This overlay fixes/, 'an overlay that fixes only a part')
  const mended = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, '--mend')
  t.equal(mended.code, 0, mended.stdout)
  t.match(mended.stdout, 'Left out    GET /bad//path\n')
  t.match(
    readFileSync(join(CONFIG_DIR, 'apis/order-desk/2.1.overlay.yaml'), 'utf8'),
    /target: \$\.paths\['\/bad\/\/path'\]\n\s+remove: true/,
  )
  const worse = written(t, {
    'openapi.yaml': `${readFileSync(file, 'utf8')}  /worse//path: { get: { responses: {} } }\n`,
  })
  const again = await tollgate({ CONFIG_DIR }, 'publish', worse, ...backend, '--mend', '--replace')
  t.equal(again.code, 0, again.stdout)
  const overlay = readFileSync(join(CONFIG_DIR, 'apis/order-desk/2.1.overlay.yaml'), 'utf8')
  t.same(
    overlay.match(/(?<=target: \$\.paths).*/g),
    ["['/bad//path']", "['/worse//path']"],
    'what the overlay leaves out already is there once',
  )
  const second = ['--api', 'desk', '--json']
  const claimed = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, ...second)
  const reasons = JSON.parse(claimed.stdout).refused.map(({ reason }: { reason: string }) => reason)
  t.same(reasons, ['path-segment', 'operation-claimed'])
  const free = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend, ...second, '--mend')
  t.match(JSON.parse(free.stdout), { prefix: '/desk/v2.1', refused: [] })
})

t.test('what was wrong before is named with its file, and not as the document’s', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders })
  await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
  const plan = join(CONFIG_DIR, 'plans/default.yaml')
  const other = written(t, { 'openapi.yaml': orders.replaceAll('orders/v2', 'desk') })
  const publish = (...more: readonly string[]) =>
    tollgate({ CONFIG_DIR }, 'publish', other, ...backend, '--api', 'desk', ...more)
  const sound = readFileSync(plan, 'utf8')
  writeFileSync(plan, sound.replace('mode: enforce', 'mode: never'))
  const { code, stdout } = await publish()
  t.equal(code, 1)
  t.match(stdout, /plans\/default\.yaml:\d+ plan-mode: /)
  t.match(
    stdout,
    /1 problem: desk@2\.1 cannot be published\. Fix this problem in the configuration first\. Your document has no errors\. Nothing was written\./,
  )
  for (const broken of ['plans/default.yaml', 'apis/desk/2.1.overlay.yaml']) {
    writeFileSync(plan, sound)
    mkdirSync(join(CONFIG_DIR, 'apis/desk'), { recursive: true })
    writeFileSync(join(CONFIG_DIR, broken), 'apis: [a\n  b: "\n')
    const { code, stdout, stderr } = await publish('--replace')
    t.equal(code, 1, broken)
    t.ok((stdout + stderr).includes(`${broken}:`), stdout + stderr)
  }
})

t.test(
  'an error of the document or its overlay is not taken for one of the file that it replaces',
  async (t) => {
    const CONFIG_DIR = join(emptyFolder(t), 'config')
    const file = written(t, { 'openapi.yaml': orders })
    const publish = () => tollgate({ CONFIG_DIR }, 'publish', file, ...backend, '--replace')
    t.equal((await publish()).code, 0)
    const published = join(CONFIG_DIR, 'apis/order-desk/2.1.yaml')
    const broken = `${orders}  /bad//path: { get: { responses: {} } }\n`
    writeFileSync(file, broken)
    writeFileSync(published, broken)
    t.match((await publish()).stdout, /order-desk@2\.1 cannot be published\. Nothing was written/)
    writeFileSync(file, orders)
    writeFileSync(published, orders)
    const overlay = `overlay: 1.1.0\nactions: [{ target: '$.paths[', remove: true }]\n`
    writeFileSync(join(CONFIG_DIR, 'apis/order-desk/2.1.overlay.yaml'), overlay)
    t.match((await publish()).stdout, /order-desk@2\.1 cannot be published\. Nothing was written/)
  },
)

t.test(
  'a reference to a missing file is listed with its line, among all other problems',
  async (t) => {
    const CONFIG_DIR = join(emptyFolder(t), 'config')
    const lost = `  /lost: { get: { responses: { 200: { $ref: 'lost.yaml#/Lost' } } } }\n`
    const file = written(t, { 'openapi.yaml': `${orders}${lost}  /a;b: { get: {} }\n` })
    const { stdout, code } = await tollgate({ CONFIG_DIR }, 'publish', file, ...backend)
    t.equal(code, 1)
    t.ok(stdout.includes(`${file}:9 reference-unresolvable: paths./lost.get.responses.200.$ref`))
    t.ok(stdout.includes(`${file}:10 path-segment`), stdout)
  },
)

t.test(
  'a missing file is reported although another version has one of that name in CONFIG_DIR',
  async (t) => {
    const CONFIG_DIR = join(emptyFolder(t), 'config')
    const publish = (file: string, ...more: readonly string[]) =>
      tollgate({ CONFIG_DIR }, 'publish', file, ...backend, ...more)
    const document = orders.replace('description: an order ', "$ref: 'common.yaml#/order' ")
    const file = written(t, {
      'openapi.yaml': document,
      'common.yaml': 'order: { description: an order }\n',
    })
    t.equal((await publish(file)).code, 0)
    rmSync(join(dirname(file), 'common.yaml'))
    const next = document.replace('v2.1-beta', '3').replace('orders/v2', 'orders/v3')
    for (const [text, ...more] of [[document, '--replace'], [next]] as const) {
      const alone = written(t, { 'openapi.yaml': text })
      const { code, stdout } = await publish(alone, ...more)
      t.equal(code, 1, stdout)
      t.ok(
        stdout.startsWith(
          `${alone}:6 reference-unresolvable: paths./orders/{id}.get.responses.200.$ref`,
        ),
        stdout,
      )
      t.match(stdout, /\n1 problem: order-desk@\d.* cannot be published/)
    }
    const example = written(t, {
      'openapi.yaml': `${orders.replace('v2.1-beta', '3').replace('orders/v2', 'orders/v3')}components: { examples: { A: { value: { $ref: common.yaml } } } }\n`,
    })
    t.match(await publish(example), { code: 0 }, 'an example refers to nothing')
  },
)

t.test('what is missing or wrong on the command line is named', async (t) => {
  const CONFIG_DIR = join(emptyFolder(t), 'config')
  const file = written(t, { 'openapi.yaml': orders, 'bad.yaml': 'a: [1\n', 'other.yaml': 'a: 1\n' })
  for (const [args, code, message] of [
    [[file], 2, /--backend is missing/],
    [[file, ...backend, '--api', 'My API'], 2, /--api "My API" is not a lower-case letter/],
    [[file, '--backend', '10.0.0.7'], 2, /--backend "10\.0\.0\.7" is not a URL/],
    [[file, ...backend, '--prefix', 'a'], 2, /--prefix "a" is not a path/],
    [[file, ...backend, '--plan', '../../x'], 2, /--plan "\.\.\/\.\.\/x" is not/],
    [[file, ...backend, '--version', 'v1'], 2, /--version "v1" is not up to six numbers/],
    [['nothing.yaml', ...backend], 1, /there is no file nothing\.yaml\n/],
    [[join(dirname(file), 'bad.yaml'), ...backend], 1, /bad\.yaml:2 yaml-syntax/],
    [[join(dirname(file), 'other.yaml')], 1, /other\.yaml is not an OpenAPI document/],
  ] as const) {
    const outcome = await tollgate({ CONFIG_DIR }, 'publish', ...args)
    t.match([outcome.code, outcome.stderr], [code, message])
  }
  const env = { CONFIG_DIR, BACKEND_URL: 'http://10.0.0.9' }
  t.equal((await tollgate(env, 'publish', file)).code, 0, 'a backend of all versions is enough')
})
