import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '../support/child-environment.ts'
import { curlMissing } from '../support/curl.ts'
import { freePort } from '../support/free-port.ts'

const page = readFileSync('docs/your-api.md', 'utf8')

/** The rows of the table under a heading: the texts in backticks of their first cells. */
function firstCells(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => /^\| `/.test(line))
  return rows.flatMap((row) => {
    const names = Array.from(
      (row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g),
      ([, name = '']) => name,
    )
    const [first = ''] = names
    // `operation-id-missing`, `-format`: the second has the beginning of the first.
    const begin = first.slice(0, first.lastIndexOf('-'))
    return names.map((name) => (name.startsWith('-') ? begin + name : name))
  })
}

/** Names of the fixtures whose document is refused, or served with a warning. */
function rules(folder: string): readonly string[] {
  const names = readdirSync(`test/catalogue/fixtures/${folder}`).map(
    (name) => name.split('~')[0] ?? '',
  )
  return [...new Set(names)]
}

/** What is wrong with plans, translations or folders, which docs/configuration.md is about. */
const ofOthers = /^(plan-|limit-|translation-|api-name|empty-|missing-folder|version-without-plan)/

const isNamed = (rule: string, names: readonly string[]): boolean =>
  names.some((name) => name === rule || (name.endsWith('…') && rule.startsWith(name.slice(0, -1))))

t.test(
  'docs/your-api.md names every rule by which a document is rejected, in at most a dozen rows',
  async (t) => {
    const names = firstCells('What is rejected')
    const section = page.split('\n## What is rejected\n')[1]?.split('\n## ')[0] ?? ''
    t.ok(section.split('\n').filter((line) => /^\| `/.test(line)).length <= 12)
    for (const rule of rules('bad').filter((each) => !ofOthers.test(each))) {
      t.ok(isNamed(rule, names), rule)
    }
  },
)

t.test('docs/your-api.md names every kind of warning', async (t) => {
  const names = firstCells('What is a warning')
  for (const rule of rules('doubtful')) t.ok(isNamed(rule, names), rule)
})

/** The shell blocks under a heading. */
function shellOf(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return Array.from(section.matchAll(/```sh\n(.*?)```/gs), ([, block = '']) => block)
}

t.test(
  'the commands of docs/your-api.md lead from an empty folder to a counted call, a plan and a second version',
  { skip: curlMissing() },
  async (t) => {
    const cwd = mkdtempSync(join(tmpdir(), 'tg-your-api-'))
    t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
    const programs = join(cwd, 'programs')
    mkdirSync(programs)
    const launcher = join(import.meta.dirname, '..', '..', 'bin', 'tollgate.js')
    const program = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`
    writeFileSync(join(programs, 'tollgate'), program, { mode: 0o755 })
    // The ports of the page may be taken on this machine.
    const ports = new Map<string, string>()
    for (const port of ['3000', '8080', '8081']) ports.set(port, String(await freePort()))
    const here = (text: string) =>
      text.replaceAll(/\b(3000|8080|8081)\b/g, (port) => ports.get(port) ?? port)
    const env = {
      ...childEnvironment,
      PATH: [programs, childEnvironment['PATH']].join(delimiter),
      GATEWAY_PORT: here('8080'),
      PORTAL_PORT: here('8081'),
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'silent',
    }

    /** A shell that a reader has open: it begins with these commands and goes on until the test ends. */
    function terminal(commands: string) {
      // In a group of its own, which ends with what the shell started.
      const child = spawn('bash', ['--norc', '-e', '-c', `${here(commands)}\nwait`], {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'close')
      t.teardown(async () => {
        if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
        await ended
      })
      const lines: string[] = []
      const isReady = new Promise<void>((resolve, reject) => {
        createInterface({ input: child.stdout }).on('line', (line) => {
          lines.push(line)
          if (line.startsWith('tollgate ready ')) resolve()
        })
        void ended.then(([code]) => reject(new Error(`ended with ${code}: ${lines.join('\n')}`)))
      })
      return { isReady, lines }
    }

    /** What the commands print. */
    async function run(commands: string): Promise<string> {
      const args = ['--norc', '-e', '-o', 'pipefail', '-c', here(commands)]
      return (await promisify(execFile)('bash', args, { cwd, env })).stdout
    }

    const [sample = '', start = '', call = '', ...others] = shellOf(
      'From a document to a counted call',
    )
    t.same(others, [])
    const { isReady, lines } = terminal(sample + start)
    await isReady
    t.match(lines.join('\n'), /^petstore@1\.0\.0 is published\./)

    const called = await run(call)
    t.match(called, /HTTP\/1\.1 200 OK[\s\S]*RateLimit: "hourly";r=99;t=\d+/)
    t.match(called, /listPets +│ 100 +│ 1 +│ 99 /)
    for (const [, link = ''] of page.matchAll(/<(http:\/\/127\.0\.0\.1:8081[^>]*)>/g)) {
      const answer = await fetch(here(link), { headers: { accept: 'text/html' } })
      t.equal(answer.status, 200, link)
    }

    t.match(await run(shellOf('Your own plan').join('\n')), /│ key +│ tg_\w+/)
    const second = await run(shellOf('A second version').join('\n'))
    t.match(second, /moved from GET \/pets to GET \/animals/)
    t.match(second, /Every listed process serves it\./)
    const unkeyed = await fetch(here('http://127.0.0.1:8080/petstore/v2/animals'))
    t.match(await unkeyed.json(), { status: 401 }, 'the gateway routes it')
  },
)
