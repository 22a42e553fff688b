import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { withoutCode } from '../support/page-links.ts'

const files = spawnSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).stdout.split('\0')
const pages = files.filter((file) =>
  /^(?:docs\/(?:evidence\/)?[^/]+|CONTRIBUTING|README)\.md$/.test(file),
)
const architecture = 'docs/architecture.md'

/** What a page names in code that looks like a source file, or like a folder of them. */
function namedIn(page: string): string[] {
  const codes = withoutCode(readFileSync(page, 'utf8')).matchAll(/`([\w./-]+)`/g)
  return Array.from(codes, ([, code = '']) => code).filter(
    (code) =>
      /^[\w-].*\.(?:ts|tsx|lua)$/.test(code) ||
      /^(?:src|test|proofs)\//.test(code) ||
      (page === architecture && /^[\w-]+(?:\/[\w-]+)*\/$/.test(code)),
  )
}

/** Whether a file or folder has this path, or one that ends with it: pages also name files by their last part. */
function isThere(path: string): boolean {
  const end = `/${path.replace(/\/$/, '')}`
  return files.some((file) => `/${file}`.endsWith(end) || `/${file}`.includes(`${end}/`))
}

t.test('every source file and folder that a page names is there', async (t) => {
  t.ok(namedIn(architecture).length > 40)
  const gone = pages.flatMap((page) =>
    namedIn(page)
      .filter((path) => !isThere(path))
      .map((path) => `${page}: ${path}`),
  )
  t.same(gone, [])
})
