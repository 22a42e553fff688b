import t, { type Test } from 'tap'
import {
  chromiumMissing,
  evaluate,
  launchBrowser,
  startBrowser,
} from '../../test/support/browser.ts'
import { testDataDir } from '../../test/support/database.ts'
import { longDocument } from '../../test/support/long-document.ts'
import { publishBeside } from '../../test/support/own-apis.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { median } from '../bench/statistics.ts'
import { figure } from '../figure.ts'

const operations = 900
const page = '/apis/long/1'
const operation = `${page}#tag/subject-30/readResource90`
const rounds = 5

t.setTimeout(600_000)

/** Starts all roles on a configuration. Resolves with the process and how long it took. */
async function start(t: Test, configDir: string) {
  const startedAt = performance.now()
  const tollgate = await spawnTollgate(t, [], {
    DATA_DIR: await testDataDir(t),
    CONFIG_DIR: configDir,
  })
  return { tollgate, ms: performance.now() - startedAt }
}

t.test(
  `a version of ${operations} operations starts and shows as quickly as the bank`,
  { skip: chromiumMissing() },
  async (t) => {
    const alone = testConfigDir(t)
    const long = testConfigDir(t)
    publishBeside(long, 'long/1.json', {
      ...longDocument({ operations, basePath: '/long/v1' }),
      'x-tollgate': { backend: 'http://127.0.0.1:9' },
    })

    await t.test('it starts at most 2 s later than the bank alone', async (t) => {
      const more: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const times: number[] = []
        for (const configDir of [alone, long]) {
          const { tollgate, ms } = await start(t, configDir)
          times.push(ms)
          tollgate.signal('SIGTERM')
          await tollgate.ended
        }
        more.push((times[1] ?? 0) - (times[0] ?? 0))
      }
      figure(`start: ${Math.round(median(more))} ms more than with the bank alone`)
      t.ok(median(more) <= 2_000, more.join(', '))
    })

    const { tollgate } = await start(t, long)
    const portalUrl = tollgate.urls.portal

    await t.test('the first byte comes within 100 ms', async (t) => {
      const times: number[] = []
      for (let round = 0; round < 21; round += 1) {
        const askedAt = performance.now()
        const answer = await fetch(`${portalUrl}${page}`, { headers: { accept: 'text/html' } })
        times.push(performance.now() - askedAt)
        await answer.arrayBuffer()
      }
      // The first one fills what the others use.
      const [first = 0, ...others] = times
      figure(
        `first byte: ${Math.round(median(others))} ms, ${Math.round(first)} ms after the start`,
      )
      t.ok(median(others) <= 100, others.join(', '))
    })

    await t.test(
      'it draws what is in sight, and every operation can be found and reached',
      async (t) => {
        const browser = await startBrowser()
        await browser.visit(t, { portalUrl }, async ({ page: tab }) => {
          await tab.goto(`${portalUrl}${page}`)
          const rows = tab.locator('#root main section li a')
          await rows.first().waitFor()
          t.equal(await rows.count(), operations)
          const drawn = await evaluate<number>(
            tab,
            `(async () => {
            for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
            return [...document.querySelectorAll('#root main section li a, #root nav li a')].filter((row) =>
              row.checkVisibility({ contentVisibilityAuto: true })).length
          })()`,
          )
          figure(`${drawn} of ${2 * operations} rows and links drawn`)
          t.ok(drawn > 20 && drawn < 200, `${drawn} drawn`)
          const last = rows.last()
          const name = (await last.locator('bdi').textContent()) ?? ''
          t.ok(await evaluate(tab, `window.find(${JSON.stringify(name)})`), name)
          await last.click()
          await tab.getByRole('article').getByRole('heading', { name: 'Response 200' }).waitFor()
        })
      },
    )

    await t.test(
      'the list and an operation are at most 300 KB beside what all pages share',
      async (t) => {
        const browser = await launchBrowser()
        const kept = await browser.newContext()
        t.teardown(() => kept.close())
        /** Opens an address in a tab. Resolves with the time until something shows, and the bytes that travelled. */
        async function visit(address: string, shown: string) {
          const tab = await kept.newPage()
          const session = await kept.newCDPSession(tab)
          await session.send('Network.enable')
          let bytes = 0
          session.on('Network.loadingFinished', ({ encodedDataLength }) => {
            bytes += encodedDataLength
          })
          const openedAt = performance.now()
          await tab.goto(`${portalUrl}${address}`)
          await tab.locator(shown).first().waitFor()
          const ms = performance.now() - openedAt
          await tab.waitForLoadState('networkidle')
          await tab.close()
          return { ms, bytes }
        }
        // Scripts and fonts, which all pages share.
        await visit('/guides', '#root h1')
        for (const [what, address, shown] of [
          ['list', page, '#root main section li a'],
          ['operation', operation, '#root article h3'],
        ] as const) {
          const visits: Awaited<ReturnType<typeof visit>>[] = []
          for (let round = 0; round < rounds; round += 1) visits.push(await visit(address, shown))
          const ms = median(visits.map((each) => each.ms))
          const bytes = Math.max(...visits.map((each) => each.bytes))
          figure(`${what}: shows after ${Math.round(ms)} ms, ${Math.round(bytes / 1024)} KB`)
          t.ok(bytes <= 300 * 1024, `${what}: ${bytes} bytes`)
        }
      },
    )
  },
)
