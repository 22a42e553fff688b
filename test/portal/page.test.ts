import {
  cpSync,
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
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { pagePaths } from '../../src/gateway/portal/page-paths.ts'
import { buildPage, PageBuildError } from '../../src/gateway/portal/pages/build-page.ts'
import { scriptJson } from '../../src/gateway/portal/pages/script-json.ts'
import { createTemplate } from '../../src/gateway/portal/pages/template.ts'
import { createLog } from '../../src/platform/log.ts'
import { tollgate } from '../support/cli.ts'
import { runTollgate } from '../support/tollgate.ts'

const log = createLog('silent')
const { urls } = await runTollgate(t)
const folder = await buildPage({ log })

/** What a browser sends when a person opens an address. */
const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

function open(path: string, headers: Record<string, string> = asPerson): Promise<Response> {
  return fetch(`${urls.portal}${path}`, { headers })
}

function bootIn(html: string) {
  const [, text = ''] =
    /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(text)
}

t.test("the page comes at each of its paths and tells the gateway's address", async (t) => {
  for (const path of Object.values(pagePaths)) {
    const filled = path
      .replace(':api/:version', 'xs2a/1.7.0')
      .replace(':api', 'xs2a')
      .replace(/:\w+/g, 'x')
    const answer = await open(filled)
    t.equal(answer.status, 200, filled)
    t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.match(bootIn(await answer.text()), {
      carriesSession: false,
      facts: {
        gatewayUrl: urls.gateway,
        writesMailsToFiles: true,
        hasSandbox: true,
        hasMailbox: true,
      },
    })
  }
  const withCookie = await open('/', { ...asPerson, cookie: 'a=b; tollgate_session=x.y' })
  t.equal(bootIn(await withCookie.text()).carriesSession, true)
})

t.test(
  'what is not there is the page with 404 to a person and a problem to a program',
  async (t) => {
    for (const path of ['/nope', '/apis/xs2a/9.9.9', '/apis/nope/diff', '/reference/xs2a/9.9.9']) {
      const answer = await open(path)
      t.equal(answer.status, 404, path)
      t.match(answer.headers.get('content-type'), 'text/html')
      t.match(await answer.text(), /id="root"/)
    }
    for (const [path, headers] of [
      ['/nope', { accept: '*/*' }],
      ['/api/nope', asPerson],
      ['/assets/nope.js', asPerson],
      ['/assets/', asPerson],
      ['/assets/.', asPerson],
      ['/assets/..%2fmanifest.json', asPerson],
    ] as const) {
      const answer = await open(path, headers)
      t.equal(answer.status, 404, path)
      t.equal(answer.headers.get('content-type'), 'application/problem+json', path)
    }
  },
)

t.test('a browser is bound to the portal: script, style and requests', async (t) => {
  const answer = await open('/')
  const html = await answer.text()
  const policy = policyOf(answer)
  const scriptNonce = /<script nonce="(\w{32})">/.exec(html)?.[1]
  const styleNonce = /<meta property="csp-nonce" nonce="(\w{32})"/.exec(html)?.[1]
  t.same(policy, {
    'default-src': "'none'",
    'script-src': `'self' 'nonce-${scriptNonce}'`,
    'style-src': `'self' 'nonce-${styleNonce}'`,
    'connect-src': `'self' ${urls.gateway}`,
    'img-src': "'self' data:",
    'font-src': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  })
  t.notOk(html.includes(' style='), 'no style attributes, which no nonce lets in')
  t.notOk(/\son\w+=/.test(html), 'no handlers in attributes')
  t.match(Object.fromEntries(answer.headers), {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': /camera=\(\)/,
  })
  t.equal(answer.headers.get('strict-transport-security'), null, 'not on plain http')
})

t.test('each answer has a nonce of its own', async (t) => {
  const seen = new Set<string>()
  for (let round = 0; round < 5; round++) {
    const answer = await open('/')
    seen.add(policyOf(answer)['script-src'] ?? '')
    seen.add(policyOf(answer)['style-src'] ?? '')
    await answer.arrayBuffer()
  }
  t.equal(seen.size, 10)
})

t.test('only the reference may style inline, and its script is as bound as all', async (t) => {
  const answer = await open('/reference/xs2a/1.7.0')
  const html = await answer.text()
  t.equal(answer.status, 200)
  t.match(policyOf(answer), {
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': "'self'",
  })
  t.match(html, /<meta charset="utf-8"/)
  t.match(html, /<a href="\/apis\/xs2a\/1\.7\.0">/)
  t.match(html, '"document":"/api/apis/xs2a/1.7.0/openapi.json"')
  t.match(html, `"server":"${urls.gateway}/v1.7.0"`)
  for (const path of ['/', '/problems/QUOTA_EXCEEDED', '/api/apis', '/nope']) {
    const other = await open(path)
    t.notMatch(other.headers.get('content-security-policy'), 'unsafe', path)
    await other.arrayBuffer()
  }
})

t.test('a problem is explained without script, in the look of the portal', async (t) => {
  const answer = await open('/problems/QUOTA_EXCEEDED')
  const html = await answer.text()
  t.equal(answer.status, 200)
  const nonce = /<style nonce="(\w{32})">/.exec(html)?.[1]
  t.equal(policyOf(answer)['style-src'], `'self' 'nonce-${nonce}'`)
  t.match(html, /<a href="\/">/)
  t.notMatch(html, '<script')
})

t.test('files of the page are compressed beforehand and kept for ever', async (t) => {
  const html = await (await open('/')).text()
  const [, script = ''] = /src="(\/assets\/index-[\w-]+\.js)"/.exec(html) ?? []
  const sizes = new Map<string, number>()
  for (const encoding of ['br', 'gzip', 'identity']) {
    const answer = await open(script, { 'accept-encoding': encoding })
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    t.match(answer.headers.get('content-type'), /javascript; charset=utf-8/)
    t.equal(answer.headers.get('content-encoding'), encoding === 'identity' ? null : encoding)
    sizes.set(encoding, Number(answer.headers.get('content-length')))
    t.equal((await answer.arrayBuffer()).byteLength, sizes.get('identity') ?? plainSize(script))
  }
  t.ok((sizes.get('br') ?? 0) < (sizes.get('gzip') ?? 0))
  t.ok((sizes.get('gzip') ?? 0) < (sizes.get('identity') ?? 0) / 2)
})

function plainSize(path: string): number {
  return statSync(join(folder, path)).size
}

t.test(
  'the first load weighs at most 300 KB compressed, and the reference only who opens it',
  async (t) => {
    const manifest: Record<string, { file: string; css?: string[]; imports?: string[] }> =
      JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const files = new Set<string>()
    function add(name: string): void {
      const chunk = manifest[name]
      if (chunk === undefined || files.has(chunk.file)) return
      for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
      for (const imported of chunk.imports ?? []) add(imported)
    }
    add('index.html')
    add('pages/public/landing-page.tsx')
    t.ok(files.size >= 3, [...files].join(', '))
    const documentBytes = (await (await open('/')).arrayBuffer()).byteLength
    const bytes = [...files].reduce(
      (sum, file) => sum + statSync(join(folder, `${file}.gz`)).size,
      0,
    )
    t.comment(`first load: ${bytes} bytes of files (gzip), ${documentBytes} of document`)
    t.ok(bytes + documentBytes <= 300 * 1024)
    t.notOk([...files].some((file) => /scalar|uplot/i.test(file)))
  },
)

t.test('text written into the document cannot leave its place', async (t) => {
  const hostile = '</script><script>alert(1)</script><!--'
  const json = scriptJson({ name: hostile })
  t.notMatch(json, '<')
  t.same(JSON.parse(json), { name: hostile })
  const fill = createTemplate('a{{x}}b{{y}}c{{x}}', ['x', 'y'])
  t.equal(fill({ x: '{{y}}$&', y: '1' }), 'a{{y}}$&b1c{{y}}$&', 'values are no templates')
  t.throws(() => createTemplate('{{x}}{{z}}', ['x']), /z/)
  t.throws(() => createTemplate('{{x}}', ['x', 'y']), /y/)
})

t.test('a command builds the page beforehand and says where it is', async (t) => {
  const { code, stdout } = await tollgate({}, 'build')
  t.equal(code, 0)
  t.equal(stdout, `${folder}\n`)
})

t.test('processes that start at once build one page, and none is built twice', async (t) => {
  const repository = smallRepository(t, "document.title = 'small'\n")
  const into = join(repository, 'dist')
  const places = await Promise.all(
    [1, 2, 3].map(() => buildPage({ log, repository, folder: into })),
  )
  const [place = ''] = places
  t.same(places, [place, place, place])
  t.same(readdirSync(into), [place.slice(into.length + 1)])
  const built = statSync(join(place, 'index.html'))
  t.equal(built.mode & 0o044, 0o044, 'others may read it')
  t.equal(await buildPage({ log, repository, folder: into }), place)
  t.equal(statSync(join(place, 'index.html')).ino, built.ino)
  writeFileSync(join(repository, 'src', 'portal-ui', 'main.ts'), "document.title = 'other'\n")
  const other = await buildPage({ log, repository, folder: into })
  t.not(other, place, 'other sources, another page')
  t.same(
    readdirSync(into).toSorted(),
    [place, other].map((path) => path.slice(into.length + 1)).toSorted(),
    'the older one stays for who serves it',
  )
})

t.test('a page that cannot be built is a named error of the start', async (t) => {
  const repository = smallRepository(t, "import './no-such-file.ts'\n")
  await t.rejects(buildPage({ log, repository, folder: join(repository, 'dist') }), {
    constructor: PageBuildError,
    message: /could not be built from src\/portal-ui: [\s\S]*no-such-file/,
  })
  t.same(readdirSync(join(repository, 'dist')), [], 'nothing is left behind')
  const closed = fileURLToPath(import.meta.url)
  await t.rejects(buildPage({ log, repository, folder: join(closed, 'dist') }), {
    constructor: PageBuildError,
    message: /tollgate build/,
  })
})

/** A page of one script. */
function smallRepository(t: Test, script: string): string {
  const repository = temporaryFolder(t)
  const source = fileURLToPath(new URL('../..', import.meta.url))
  const others = [
    'package-lock.json',
    'tsconfig.json',
    'src/gateway/portal/page-paths.ts',
    'src/gateway/portal/samples',
    'src/gateway/portal/schemas',
  ]
  for (const name of others) {
    cpSync(join(source, name), join(repository, name), { recursive: true })
  }
  const place = join(repository, 'src', 'portal-ui')
  mkdirSync(place)
  writeFileSync(join(place, 'vite.config.ts'), 'export default { root: import.meta.dirname }\n')
  writeFileSync(join(place, 'index.html'), '<script type="module" src="./main.ts"></script>')
  writeFileSync(join(place, 'main.ts'), script)
  return repository
}

function temporaryFolder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'tg-page-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function policyOf(answer: Response): Record<string, string> {
  const directives = (answer.headers.get('content-security-policy') ?? '').split(';')
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...rest] = directive.trim().split(' ')
      return [name, rest.join(' ')]
    }),
  )
}
