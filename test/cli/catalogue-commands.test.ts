import t from 'tap'
import { check } from '../../src/cli/commands/check.ts'
import { diff } from '../../src/cli/commands/diff.ts'

const minimal = 'test/catalogue/fixtures/minimal'
const broken = 'test/catalogue/fixtures/bad/limit-window'

t.test('check says what is published and exits 0', async (t) => {
  const { output, exitCode } = await check({ configDir: minimal, json: false })
  t.equal(exitCode, 0)
  for (const text of ['library', '1.1.0', 'sunset 2027-10-31', 'Default Plan', '100 in 3600 s']) {
    t.ok(output.includes(text), text)
  }
  const asJson = await check({ configDir: minimal, json: true })
  t.match(JSON.parse(asJson.output), {
    ok: true,
    versions: [
      { api: 'library', version: '1.0.0', operations: 4, plans: ['default'] },
      { api: 'library', version: '1.1.0', operations: 3, plans: ['default'] },
    ],
    plans: [{ name: 'default', limits: [{ calls: 100, windowSeconds: 3600 }] }],
  })
})

t.test(
  'check of a broken configuration prints file, line, rule and an example, and exits 1',
  async (t) => {
    const { output, exitCode } = await check({ configDir: broken, json: false })
    t.equal(exitCode, 1)
    t.equal(
      output,
      `${broken}/plans/default.yaml:6 limit-window: limits[0].window: "1 hour" is not an ISO 8601 duration of fixed length from PT1S to P365D (e.g. PT1H)\n1 problem in the configuration.\n`,
    )
    const asJson = await check({ configDir: broken, json: true })
    t.equal(asJson.exitCode, 1)
    t.match(JSON.parse(asJson.output), {
      ok: false,
      problems: [
        { file: `${broken}/plans/default.yaml`, line: 6, rule: 'limit-window', example: 'PT1H' },
      ],
    })
  },
)

t.test('diff names what was removed and who is subscribed to the old version', async (t) => {
  const asked: unknown[] = []
  const options = {
    configDir: minimal,
    api: 'library',
    from: '1.0.0',
    to: '1.1.0',
    subscribers: async (...question: readonly unknown[]) => {
      asked.push(question)
      return ['Reading room']
    },
  }
  const { output, exitCode } = await diff({ ...options, json: false })
  t.equal(exitCode, 0)
  t.match(output, /removeBook.*DELETE.*\/books\/\{book-id\}/)
  t.match(output, /subscribed to the old version:\n {2}Reading room\n/)
  t.strictSame(asked, [['library', '1.0.0', ['removeBook']]])
  const asJson = await diff({ ...options, json: true })
  t.match(JSON.parse(asJson.output), {
    api: 'library',
    from: '1.0.0',
    to: '1.1.0',
    added: [],
    removed: [{ id: 'removeBook' }],
    changed: [],
    subscribers: ['Reading room'],
  })
})

t.test('diff of a version with itself says that nothing differs and asks nobody', async (t) => {
  const { output } = await diff({
    configDir: minimal,
    api: 'library',
    from: '1.0.0',
    to: '1.0.0',
    json: false,
    subscribers: () => Promise.reject(new Error('asked')),
  })
  t.match(output, 'No operation was added, removed or changed.')
})

t.test('diff of what is not published names what is, and exits 1 without a result', async (t) => {
  const diffOf = (api: string, to: string, configDir = minimal) =>
    diff({ configDir, api, from: '1.0.0', to, json: true })
  t.strictSame(await diffOf('library', '9.0.0'), {
    output: '',
    error: 'tollgate: library has no version 9.0.0; there are: library@1.0.0, library@1.1.0\n',
    exitCode: 1,
  })
  t.match(
    (await diffOf('cinema', '1.1.0')).error,
    'there is no API cinema; there are: library@1.0.0',
  )
  t.match(await diffOf('demo', '1.1.0', broken), { output: '', error: /limit-window/, exitCode: 1 })
})
