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
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { languages } from '../../src/messages/language.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { sessionCookie } from '../../src/portal/accounts/carry-sessions.ts'
import { buildPage, PageBuildError } from '../../src/portal/pages/build-page.ts'
import { pagePaths } from '../../src/portal/pages/page-paths.ts'
import { scriptJson } from '../../src/portal/pages/script-json.ts'
import { pageSources } from '../../src/portal/pages/stamp-page.ts'
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

/** A path of the page with something for each of its parameters. */
function filled(path: string): string {
  return path
    .replace(':api/:version', 'xs2a/1.7.0')
    .replace(':api', 'xs2a')
    .replace(':guide', 'first-call')
    .replace(/:\w+/g, 'x')
}

function bootIn(html: string) {
  const [, text = ''] =
    /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(text)
}

t.test("the page is served at each of its paths and contains the gateway's address", async (t) => {
  for (const path of Object.values(pagePaths).map(filled)) {
    const answer = await open(path)
    t.equal(answer.status, 200, path)
    t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.match(bootIn(await answer.text()), {
      carriesSession: false,
      facts: {
        gatewayUrl: urls.gateway,
        writesMailsToFiles: true,
        hasSandbox: true,
        hasBank: true,
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
    for (const path of ['/nope', '/apis/xs2a/9.9.9', '/apis/nope/diff', '/apis/xs2a/9.9.9/plans']) {
      const answer = await open(path)
      t.equal(answer.status, 404, path)
      t.match(answer.headers.get('content-type'), 'text/html')
      t.match(await answer.text(), /id="root"/)
    }
    const paths = [
      '/assets/nope.js',
      '/assets/',
      '/assets/nope/',
      '/assets/.',
      '/assets/.env',
      '/assets/..%2fmanifest.json',
      '/assets//',
      '/assets/%00',
      '/assets/%e0',
      '/api/nope',
    ]
    for (const [path, headers] of [
      ['/nope', { accept: '*/*' }] as const,
      ...paths.map((path) => [path, asPerson] as const),
    ]) {
      // fetch asks for a compressed answer by default; curl and monitors do not.
      for (const encoding of ['gzip, br', 'identity']) {
        const answer = await open(path, { ...headers, 'accept-encoding': encoding })
        t.equal(answer.status, 404, `${path} ${encoding}`)
        t.equal(answer.headers.get('content-type'), 'application/problem+json', path)
      }
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

t.test('each answer has its own nonce', async (t) => {
  const seen = new Set<string>()
  for (let round = 0; round < 5; round++) {
    const answer = await open('/')
    seen.add(policyOf(answer)['script-src'] ?? '')
    seen.add(policyOf(answer)['style-src'] ?? '')
    await answer.arrayBuffer()
  }
  t.equal(seen.size, 10)
})

t.test('the old address of a reference leads to the page of its version for good', async (t) => {
  const answer = await fetch(`${urls.portal}/reference/xs2a/1.7.0`, { redirect: 'manual' })
  t.equal(answer.status, 308)
  t.equal(answer.headers.get('location'), '/apis/xs2a/1.7.0')
})

t.test('the document shows its header and title before any other file arrives', async (t) => {
  for (const [path, words] of [
    ['/', /<h1>Build on the bank’s accounts and payments\.<\/h1>/],
    ['/apis/xs2a/1.7.0', /<h1>Payments, accounts and consents 1\.7\.0<\/h1>/],
    ['/sign-in', /class="sk-brand" href="\/">Tollgate/],
  ] as const) {
    const html = await (await open(path)).text()
    const skeleton = html.search(words)
    t.ok(skeleton > 0, path)
    for (const late of ['rel="stylesheet"', 'src="/assets/', 'rel="modulepreload"']) {
      t.ok(html.indexOf(late) > skeleton, `${late} comes after it`)
    }
  }
  const hebrew = await (await open('/', { ...asPerson, 'accept-language': 'he' })).text()
  t.match(hebrew, /dir="rtl"[\s\S]*<h1>בונים על/)
})

t.test('what readers came for stands in the document, before any script', async (t) => {
  // Until the bank has answered once, the page of the sandbox has to wait.
  await (await open('/api/sandbox')).text()
  for (const [path, expected] of [
    ['/', /<a href="\/apis\/xs2a\/1\.7\.0"><b>1\.7\.0<\/b> /],
    ['/sandbox', /<li><h2><bdi>Noa Levi<\/bdi><\/h2>.*<code dir="ltr">IL\d{21}<\/code>/],
    ['/apis/xs2a/1.7.0', /<a href="#tag\/accounts\/listAccounts"><b>GET<\/b> <bdi>List accounts/],
    ['/apis/xs2a/1.7.0', /<p>Single payments, accounts, .*<h2>.*<bdi>List accounts/s],
    [
      '/apis/xs2a/1.7.0#tag/accounts/listAccounts',
      /<article class="sk-op" id="tag\/accounts\/listAccounts"><h2><bdi>List accounts.*?The payment accounts.*?<code dir="ltr">Consent-ID<\/code> <span[^>]*>string<\/span> required/s,
    ],
  ] as const) {
    const html = await (await open(path)).text()
    const [, shown = ''] = /<div id="skeleton">(.*?)<(?:link|script)/s.exec(html) ?? []
    t.match(shown, expected, path)
  }
  const hebrew = await open('/apis/xs2a/1.7.0', { ...asPerson, 'accept-language': 'he' })
  t.match(await hebrew.text(), /id="tag\/accounts\/listAccounts"><h2><bdi>רשימת החשבונות/)
})

t.test(
  'without JavaScript the first page lists the APIs, in the language of the reader',
  async (t) => {
    for (const [language, expected] of [
      ['en', [/<h1>APIs</, /Deprecated since 14 April 2024/, /calls? per /]],
      ['he', [/<h1>ממשקי API</, /יוצאת משימוש מאז/, /<bdi>רשימת החשבונות</]],
    ] as const) {
      const html = await (await open('/', { ...asPerson, 'accept-language': language })).text()
      const [, content = ''] = /<noscript>.*<\/style>(.*)<\/noscript>/s.exec(html) ?? []
      for (const words of expected) t.match(content, words)
      t.match(content, '<a href="/api/apis/xs2a/1.7.0/openapi.json">')
      t.match(content, /<h3><bdi[^>]*>[^<]+ 1\.7\.0<\/bdi>/)
      const own = content.replaceAll(/<(bdi|code)\b[^>]*>.*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, '')
      const english = own.replaceAll(/API|OpenAPI|JavaScript|UTC/g, '').match(/[a-z]{3,}/i)
      if (language === 'he') t.equal(english, null, 'only what documents say is English')
    }
  },
)

t.test('a page that lists the APIs holds the list, and the first page its sample', async (t) => {
  for (const path of ['/', '/apis/xs2a/1.7.0', '/apis/xs2a/1.7.0/plans', '/apis/xs2a/diff']) {
    const boot = bootIn(await (await open(path)).text())
    t.equal(boot.apis.items.length, 2, path)
    t.equal(boot.front === undefined, path !== '/')
  }
  const { front } = bootIn(await (await open('/')).text())
  t.match(front.limit, { scope: 'operation', windowSeconds: 31_536_000 })
  t.same(
    bootIn(await (await open('/sign-up')).text()).front,
    front,
    'the page to sign up names its numbers',
  )
  t.match(front.sample, { operation: 'listAccounts', answers: [{ status: 200 }, { status: 429 }] })
  t.match(
    front.sample.samples[0].source,
    `curl -i '${urls.gateway}/v1.7.0/accounts?withBalance=true'`,
  )
  t.notOk('apis' in bootIn(await (await open('/sign-in')).text()))
})

t.test('documents and published texts are compressed for clients that accept it', async (t) => {
  for (const [path, encoding] of [
    ['/', 'gzip'],
    ['/api/apis', 'br'],
    ['/api/apis/xs2a/1.7.0/openapi.json', 'br'],
  ] as const) {
    const answer = await open(path, { ...asPerson, 'accept-encoding': 'gzip, br' })
    t.equal(answer.headers.get('content-encoding'), encoding, path)
    const plain = await open(path, { ...asPerson, 'accept-encoding': 'identity' })
    t.equal(plain.headers.get('content-encoding'), null)
    const length = (response: Response) => Number(response.headers.get('content-length'))
    t.ok(length(answer) < length(plain) / 2, `${length(answer)} of ${length(plain)}`)
    t.equal((await answer.text()).length > 1_000, true)
    await plain.text()
  }
})

t.test(
  'a problem is explained without script, in the look and language of the portal',
  async (t) => {
    const answer = await open('/problems/QUOTA_EXCEEDED')
    const html = await answer.text()
    t.equal(answer.status, 200)
    const nonce = /<style nonce="(\w{32})">/.exec(html)?.[1]
    t.equal(policyOf(answer)['style-src'], `'self' 'nonce-${nonce}'`)
    t.match(html, /<a href="\/" class="brand">/)
    t.match(html, '<a href="/sign-in">')
    t.match(html, /<nav id="menu".*<a href="\/sign-up">Get a key<\/a><\/nav>/)
    t.notMatch(html, 'aria-keyshortcuts=', 'only the script knows keys')
    t.notMatch(html, 'src="/assets/index', 'the script of the page is not needed')
    const scripts = [...html.matchAll(/<script nonce="(\w{32})">/g)].map(([, nonce]) => nonce)
    t.equal(policyOf(answer)['script-src'], `'self' 'nonce-${scripts}'`, 'one, for the colours')
    const hebrew = await (await open('/problems/QUOTA_EXCEEDED?language=he')).text()
    t.match(hebrew, '<html lang="he" dir="rtl">')
    t.match(hebrew, '<a href="?language=en"')
    const name = sessionCookie(urls.portal).name
    const own = await (await open('/problems/QUOTA_EXCEEDED', { cookie: `${name}=1` })).text()
    t.match(own, '<a href="/profile"', 'who is signed in keeps the way to the profile')
    t.notMatch(own, '<a href="/sign-in">')
  },
)

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
  'a document names the files of its page: at most 8, and 200 KB for the first page, 330 KB for any other',
  async (t) => {
    for (const language of languages) {
      const pages = []
      for (const path of Object.values(pagePaths).map(filled)) {
        const html = await (await open(path, { ...asPerson, 'accept-language': language })).text()
        const files = [...html.matchAll(/(?:href|src)="\/(assets\/[^"]+\.(?:js|css))"/g)]
        const sizes = files.map(([, file]) => statSync(join(folder, `${file}.gz`)).size)
        const kb = sizes.reduce((sum, size) => sum + size, gzipSync(html).length) / 1024
        t.ok(files.length <= 8, `${path} names ${files.length} files`)
        t.ok(kb <= (path === '/' ? 200 : 330), `${path} in ${language}: ${kb.toFixed(1)} KB`)
        pages.push({ path, kb })
      }
      const [first, ...others] = pages
      const heaviest = others.toSorted((one, other) => other.kb - one.kb)[0]
      t.comment(`first page (${language}): ${first?.kb.toFixed(1)} KB`)
      t.comment(`heaviest (${language}): ${heaviest?.path} ${heaviest?.kb.toFixed(1)} KB`)
    }
  },
)

t.test("the page has the library's styles of every component that it has", async (t) => {
  const textsOf = (end: string) =>
    readdirSync(join(folder, 'assets'))
      .filter((name) => name.endsWith(end))
      .map((name) => readFileSync(join(folder, 'assets', name), 'utf8'))
      .join('')
  const classesIn = (text: string) => [...new Set(text.match(/\bm_[0-9a-f]+\b/g))]
  const library = createRequire(import.meta.url).resolve('@mantine/core/styles.css')
  const all = readFileSync(library, 'utf8')
  const built = textsOf('.css')
  const used = classesIn(textsOf('.js')).filter((name) => all.includes(`.${name}`))
  t.ok(used.length > 100)
  t.same(
    used.filter((name) => !built.includes(`.${name}`)),
    [],
    'add it to mantine.css',
  )
})

t.test('a document begins what its page asks the portal for', async (t) => {
  const html = await (await open('/sandbox')).text()
  t.match(html, /<link rel="modulepreload" href="\/assets\/public-[\w-]+\.js">/)
  t.match(html, /<link rel="modulepreload" href="\/assets\/en-[\w-]+\.js">/)
  t.match(
    html,
    /<link rel="preload" as="fetch" crossorigin fetchpriority="low" href="\/api\/sandbox">/,
  )
})

t.test('text written into the document cannot leave its place', async (t) => {
  const hostile = '</script><script>alert(1)</script><!--'
  const json = scriptJson({ name: hostile })
  t.notMatch(json, '<')
  t.same(JSON.parse(json), { name: hostile })
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
  for (const name of pageSources.filter((name) => name !== 'src/portal-ui')) {
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
