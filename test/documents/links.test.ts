import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { targetsOf, withoutCode } from '../support/page-links.ts'

const tracked = spawnSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).stdout.split('\0')
// Guides link to pages of the portal; the tests of the portal follow those.
const pages = tracked.filter((file) => file.endsWith('.md') && !file.startsWith('src/guides/'))
const files = new Set(tracked)
const folders = new Set(tracked.map((file) => dirname(file)))

const textOf = (page: string) => withoutCode(readFileSync(page, 'utf8'))

/** The fragments of a page's headings, as GitHub makes them. */
function fragmentsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

const titleOf = (page: string) => /^# (.+)$/m.exec(textOf(page))?.[1]

t.test('every link and picture of a page leads to a file that is in the repository', async (t) => {
  t.ok(pages.includes('README.md') && pages.length > 30, 'the pages were found')
  const broken = pages.flatMap((page) =>
    targetsOf(textOf(page)).flatMap((target) => {
      const [path = '', fragment] = target.split('#')
      const file = path === '' ? page : normalize(join(dirname(page), path))
      if (folders.has(file.replace(/\/$/, ''))) return []
      if (!files.has(file)) return [`${page}: ${target}`]
      if (fragment === undefined || fragmentsOf(file).includes(fragment)) return []
      return [`${page}: ${target} (no such heading)`]
    }),
  )
  t.same(broken, [])
})

t.test('the index names every page by its title, and leaves out no page', async (t) => {
  const links = [...textOf('docs/README.md').matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)/gm)]
  const listed = links.map(([, text, target = '']) => [normalize(join('docs', target)), text])
  const expected = pages.filter((page) =>
    /^(?:docs\/(?:evidence\/)?(?!README)[^/]+|CONTRIBUTING)\.md$/.test(page),
  )
  t.same(
    Object.fromEntries(listed),
    Object.fromEntries(expected.map((page) => [page, titleOf(page)])),
  )
})
