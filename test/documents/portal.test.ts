import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '../support/child-environment.ts'
import { curlMissing } from '../support/curl.ts'
import { runTollgate } from '../support/tollgate.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'portal.md'), 'utf8')
const { urls, dataDir } = await runTollgate(t, {
  isEmbedded: true,
  plan: { calls: 100, window: 'P365D' },
})

t.test(
  'the walk of docs/portal.md, from sign-up to the first call, works as pasted',
  { skip: curlMissing() },
  async (t) => {
    const [, walk = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
    const cwd = mkdtempSync(join(tmpdir(), 'tg-walk-'))
    t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
    const env = {
      ...childEnvironment,
      PORTAL: urls.portal,
      GATEWAY: urls.gateway,
      DATA_DIR: dataDir,
    }
    // Bash would read its start-up file where its input is a socket, as here.
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-e', '-c', walk], {
      cwd,
      env,
      // The walk waits for a mail without end.
      timeout: 120_000,
    })
    t.equal(stderr, '')
    t.match(stdout, /HTTP\/1\.1 200 OK[\s\S]*"iban"/)
    t.match(stdout, /RateLimit: "default";r=99;t=\d+/)
    t.match(
      stdout,
      /"operation":"listAccounts","limitName":"default","limit":100,"used":1,"remaining":99/,
    )
  },
)

t.test("every path of the portal's API that docs/portal.md names is described", async (t) => {
  const answer = await fetch(`${urls.portal}/api/openapi.json`)
  // It describes itself; test/portal/matrix.test.ts has it checked.
  const { paths } = (await answer.json()) as { paths: Record<string, object> }
  const named = [...page.matchAll(/`(?:[A-Z]+ )?(\/api\/[^`]*)`/g)].map(([, path = '']) => path)
  t.ok(named.length > 10)
  const begins = (path: string) =>
    Object.keys(paths).some((described) => described.startsWith(path.replace(/…$/, '')))
  t.same(
    named.filter((path) => !begins(path)),
    [],
  )
})
