import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'

const page = readFileSync('docs/configuration.md', 'utf8')

/** The first YAML block below a heading. */
function exampleBelow(heading: string): string {
  const section = page.slice(page.indexOf(`### ${heading}\n`))
  const block = /```yaml\n([\s\S]*?)```/.exec(section)?.[1]
  if (block === undefined) throw new Error(`no example below ${heading}`)
  return block
}

t.test(
  'the version, the plan and the deprecation of docs/configuration.md work as pasted',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tg-how-to-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    cpSync('config', folder, { recursive: true })
    writeFileSync(join(folder, 'apis/xs2a/1.8.0.yaml'), exampleBelow('Add a version'))
    writeFileSync(join(folder, 'plans/partner.yaml'), exampleBelow('Add a plan'))
    const current = join(folder, 'apis/xs2a/1.7.0.yaml')
    const lifecycle = exampleBelow('Deprecate a version')
    writeFileSync(
      current,
      readFileSync(current, 'utf8').replace(/^info:\n/m, `info:\n${lifecycle}`),
    )
    const { versions, plans } = (await inspectCatalogue(folder)).catalogue
    t.equal(versions.get('xs2a@1.8.0')?.operations.length, 7)
    t.same(
      plans.get('partner')?.limits.map(({ name }) => name),
      ['hourly', 'daily'],
    )
    t.match(versions.get('xs2a@1.7.0')?.lifecycle, { successor: '1.8.0', sunset: '2028-01-01' })
  },
)
