import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { accentOf, darkInk, faintUses } from '../../src/catalogue/brand/accent.ts'
import { plainBrand } from '../../src/catalogue/brand/brand.ts'
import { contrast } from '../../src/catalogue/brand/color.ts'
import { CatalogueError } from '../../src/catalogue/catalogue-error.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'

type Files = Readonly<Record<string, string | Buffer>>

const svg = (inside: string, attributes = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32" ${attributes}>${inside}</svg>\n`
const mark = svg('<title>Example</title><path fill="#0a7180" d="M0 0h120v32H0z"/>')
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

function configWith(t: Test, files: Files): string {
  const folder = t.testdir({})
  cpSync('test/catalogue/fixtures/minimal', folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

async function problemsOf(t: Test, files: Files): Promise<readonly string[]> {
  const folder = configWith(t, files)
  try {
    await loadCatalogue(folder)
    return []
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    return error.problems.map(
      ({ file, line, rule, message, example }) =>
        `${file.slice(folder.length + 1)}:${line} ${rule}: ${message}${example === undefined ? '' : ` (${example})`}`,
    )
  }
}

t.test('without brand.yaml, or with one of comments only, there is no brand', async (t) => {
  for (const files of [{}, { 'brand.yaml': '# name: Example Bank\n\n' }]) {
    const { brand } = await loadCatalogue(configWith(t, files))
    t.same(brand, plainBrand)
  }
  const { brand } = await loadCatalogue('config')
  t.same(brand, plainBrand, 'the file that ships has comments only')
})

t.test('a whole brand is read, frozen, with a value for every language', async (t) => {
  const { brand } = await loadCatalogue(
    configWith(t, {
      'brand.yaml': `name: { en: Example Bank, he: בנק לדוגמה }
logo: { light: pictures/logo.svg, dark: logo.png }
icon: logo.png
accent: "#1D4ED8"
support: mailto:apis@bank.example
terms: { version: "2026-11", file: { he: terms.he.md } }
privacy: { he: https://bank.example/he/privacy }
status: https://status.bank.example
`,
      'pictures/logo.svg': mark,
      'logo.png': onePixel,
      'terms.he.md': '# תנאים\n',
    }),
  )
  t.match(brand, {
    name: { en: 'Example Bank', he: 'בנק לדוגמה' },
    logo: {
      light: { type: 'image/svg+xml', width: 120, height: 32, digest: /^[0-9a-f]{16}$/ },
      dark: { type: 'image/png', width: 1, height: 1 },
    },
    icon: { type: 'image/png', content: onePixel.toString('base64') },
    accent: { light: '#1d4ed8' },
    support: { en: 'mailto:apis@bank.example', he: 'mailto:apis@bank.example' },
    terms: { version: '2026-11', texts: { en: '# תנאים\n', he: '# תנאים\n' } },
    privacy: { en: 'https://bank.example/he/privacy', he: 'https://bank.example/he/privacy' },
    status: { en: 'https://status.bank.example/' },
    imprint: undefined,
  })
  t.ok(Object.isFrozen(brand.logo?.light) && Object.isFrozen(brand.accent?.shades))
})

t.test('the logo of a brand may be one picture for both schemes', async (t) => {
  const files = { 'brand.yaml': 'logo: logo.svg\n', 'logo.svg': mark }
  const { brand } = await loadCatalogue(configWith(t, files))
  t.equal(brand.logo?.dark, brand.logo?.light)
})

/** What stands in brand.yaml, and the one fault that is reported at the line marked `# fault`. */
const badFiles: readonly (readonly [brand: string, expected: RegExp, files?: Files])[] = [
  ['nmae: Example # fault', /brand-unknown-member: nmae: is no member here; there are: name, logo/],
  ['name: "" # fault', /brand-member-type: name: "" is not a name/],
  [`name: ${'x'.repeat(61)} # fault`, /brand-member-type/],
  ['name: "Bank\\u202e" # fault', /brand-member-type/],
  ['name:\n  fr: Banque # fault\n  en: Bank', /brand-unknown-member: name\.fr/],
  ['name:\n  en: Bank\n  he: 7 # fault', /brand-member-type: name\.he: 7 is not a name/],
  ['name: {} # fault', /brand-member-type: name: has no language/],
  ['- name # fault', /brand-member-type: the file must be a mapping/],
  ['accent: teal # fault', /brand-accent: accent: "teal" is not a colour #rrggbb/],
  ['accent: { dark: "#2fa5b4" } # fault', /brand-member-type: accent: must have the member light/],
  ['support: apis@bank.example # fault', /brand-member-type: support/],
  ['support: javascript:alert(1) # fault', /brand-member-type: support/],
  ['privacy: http://bank.example/ # fault', /brand-member-type: privacy/],
  ['imprint: https://user:secret@bank.example/ # fault', /brand-member-type: imprint/],
  ['status: mailto:apis@bank.example # fault', /brand-member-type: status/],
  ['terms: https://bank.example/ # fault', /brand-member-type: terms: must be a mapping/],
  [
    'terms:\n  version: 2026 # fault\n  url: https://bank.example/',
    /brand-terms: terms\.version: 2026/,
  ],
  ['terms: { version: "1" } # fault', /brand-terms: terms: must have either url or file/],
  [
    'terms: { version: "1", file: none.md } # fault',
    /brand-file: terms\.file: "none\.md" is not a file/,
  ],
  [
    'terms: { version: "1", file: terms.md } # fault',
    /text-encoding: terms\.file: line 2 of "terms\.md" is not UTF-8/,
    { 'terms.md': Buffer.from('# A\ncaf\xe9\n', 'latin1') },
  ],
  ['logo: none.svg # fault', /brand-file: logo: "none\.svg" is not a file of the configuration/],
  ['logo: ../../secret.svg # fault', /brand-file: logo: .* leads out of the configuration/],
  ['logo: /etc/hostname # fault', /brand-file: logo: .* leads out of the configuration/],
  ['icon: apis # fault', /brand-file: icon: "apis" cannot be read as a file/],
  [
    'logo: big.svg # fault',
    /brand-file: logo: "big\.svg" has 131073 bytes; 131072 is the most/,
    {
      'big.svg': Buffer.alloc(131_073, 32),
    },
  ],
]

t.test('a brand that breaks one rule is refused at its line, and for nothing else', async (t) => {
  for (const [brand, expected, files] of badFiles) {
    const problems = await problemsOf(t, { 'brand.yaml': `${brand}\n`, ...files })
    const line = brand.split('\n').findIndex((text) => text.includes('# fault')) + 1
    t.match(problems, [expected], brand)
    t.match(problems[0], new RegExp(`^brand.yaml:${line} `), brand)
    t.equal(problems.length, 1, brand)
  }
})

t.test('all problems of a brand are reported together, beside those of the plans', async (t) => {
  const problems = await problemsOf(t, {
    'brand.yaml': 'name: 1\naccent: "#ffcc00"\nprivacy: no\nlogo: logo.svg\n',
    'logo.svg': svg('<script/>'),
    'plans/default.yaml': 'title: 1\n',
  })
  for (const rule of ['brand-member-type', 'brand-accent-contrast', 'brand-picture', 'plan-']) {
    t.ok(
      problems.some((problem) => problem.includes(` ${rule}`)),
      rule,
    )
  }
})

/** An SVG that could do more than draw, and the words of its refusal. */
const hostile: readonly (readonly [picture: string | Buffer, reason: RegExp])[] = [
  [
    svg('<script>alert(1)</script>'),
    /has the element <script>; a logo has only elements that draw/,
  ],
  [svg('<SCRIPT/>'), /has the element <SCRIPT>/],
  [svg('<g><x:script xmlns:x="http://www.w3.org/2000/svg"/></g>'), /has the element <x:script>/],
  [svg('<foreignObject/>'), /<foreignObject>/],
  [svg('<a href="https://evil.example"><path d=""/></a>'), /<a>/],
  [svg('<image href="https://evil.example/a.png"/>'), /<image>/],
  [svg('<animate attributeName="href" to="javascript:alert(1)"/>'), /<animate>/],
  [svg('', 'onload="alert(1)"'), /has the event attribute onload/],
  [svg('<g oNcLick="alert(1)"/>'), /has the event attribute oNcLick/],
  [svg('<use href="https://evil.example/a.svg#x"/>'), /refers to "https:\/\/evil\.example/],
  [svg('<use xlink:href="&#x6a;avascript:alert(1)" xmlns:xlink="x"/>'), /refers to "javascript:/],
  [
    svg('<use y:href="data:image/svg+xml,x" xmlns:y="http://www.w3.org/1999/xlink"/>'),
    /refers to "data:/,
  ],
  [svg('<path fill="url(https://evil.example/#a)" d=""/>'), /refers to "https:/],
  [svg('<path style="fill:URL( &quot;//evil.example&quot;)" d=""/>'), /refers to "\/\/evil/],
  [svg('<style>@import "https://evil.example/a.css";</style>'), /style that could load or run/],
  [svg('<style>path{fill:u\\72l(x)}</style>'), /style that could load or run/],
  [svg('<style>path{fill:url(//evil.example/x)}</style>'), /refers to "\/\/evil/],
  [svg('', 'xml:base="https://evil.example/"'), /refers to "https:/],
  [`<!DOCTYPE svg [<!ENTITY x "y">]>${mark}`, /has a document type/],
  [svg('<text>&x;</text>'), /has an entity that is not of XML itself/],
  [svg('<![CDATA[<script/>]]>'), /has a CDATA section/],
  [svg('<?xml-stylesheet href="https://evil.example/"?>'), /has a processing instruction/],
  [`<?xml version="1.0" encoding="UTF-7"?>${mark}`, /its encoding is "UTF-7"/],
  [`<?xml version='1.0' encoding='ISO-2022-JP'?>${mark}`, /its encoding is "ISO-2022-JP"/],
  [svg('<g>'), /has <\/svg> where no <svg> is open/],
  [`${mark}<svg/>`, /more than one root element/],
  ['<svg xmlns="http://www.w3.org/1999/xhtml" viewBox="0 0 1 1"/>', /has the namespace/],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', /says no size/],
  ['<html><body/></html>', /must begin with <svg>/],
  ['GIF89a', /is neither|outside of its root/],
  [Buffer.from(mark, 'utf16le'), /is neither a PNG nor an SVG in UTF-8/],
  [onePixel.subarray(0, -1), /is not a complete PNG/],
  [Buffer.concat([onePixel, Buffer.from('<script/>')]), /is not a complete PNG/],
]

t.test('a picture that could do more than show something is refused with the reason', async (t) => {
  for (const [picture, reason] of hostile) {
    const problems = await problemsOf(t, { 'brand.yaml': 'icon: icon.svg\n', 'icon.svg': picture })
    t.match(problems, [/^brand\.yaml:1 brand-picture: icon: "icon\.svg" /], String(reason))
    t.match(problems[0], reason)
    t.equal(problems.length, 1)
  }
})

t.test('drawings of editors pass: gradients, own references, plain styles, comments', async (t) => {
  const drawing = svg(`<!-- exported -->
<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
<style type="text/css">.b { fill: url(#a); }</style>
<g aria-label="Bank &amp; Sons"><path class='b' fill="url('#a')" d="M0 0"/><use href="#a"/></g>`)
  t.same(await problemsOf(t, { 'brand.yaml': 'logo: logo.svg\n', 'logo.svg': drawing }), [])
})

t.test(
  'an accent with too little contrast is refused with the ratio and a near colour that passes',
  async (t) => {
    const problems = await problemsOf(t, {
      'brand.yaml': 'accent: { light: "#ffcc00", dark: "#0a3d44" }\n',
    })
    t.equal(problems.length, 4, 'as a button and as a link, in both schemes')
    t.match(problems, [
      /accent\.light: #ffcc00 with white text on it has a contrast of 1\.51:1; 4\.5:1 is the least/,
      /accent\.light: #ffcc00 as a link on #edf1f3/,
      /accent\.dark: #0a3d44 with the text #06171b on it/,
      /accent\.dark: #0a3d44 as a link on #16252b \(dark scheme\)/,
    ])
    const near = problems.map((problem) => /"(#[0-9a-f]{6})"\)$/.exec(problem)?.[1] ?? '')
    const [light = '', dark = ''] = [near[0], near[2]]
    t.same(
      await problemsOf(t, { 'brand.yaml': `accent: { light: "${light}", dark: "${dark}" }\n` }),
      [],
    )
  },
)

t.test('the shades of every sound accent are readable where pages use them', (t) => {
  const digits = ['00', '33', '66', '99', 'cc', 'ff']
  let sound = 0
  for (const color of digits.flatMap((r) =>
    digits.flatMap((g) => digits.map((b) => `#${r}${g}${b}`)),
  )) {
    if (faintUses(color, 'light').length > 0) continue
    sound++
    const { shades } = accentOf(color)
    const at = (shade: number): string => shades[shade] ?? ''
    const pairs = [
      [at(7), '#ffffff'],
      [at(6), '#ffffff'],
      [at(8), '#edf1f3'],
      [at(8), at(0)],
      [at(8), at(1)],
      [at(4), darkInk],
      [at(4), '#16252b'],
      [at(3), '#16252b'],
      [at(3), at(9)],
      [at(2), at(9)],
      [at(2), at(8)],
    ] as const
    const faint = pairs.filter(([text, ground]) => contrast(text, ground) < 4.5)
    t.same(faint, [], color)
  }
  t.ok(sound > 60, `${sound} of 216 colours`)
  t.end()
})

t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48', 'as WCAG computes it')
