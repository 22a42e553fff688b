import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { figure } from '../figure.ts'

// Where PostgreSQL is missing, tests of a whole Tollgate run on the embedded database, so this is also the proof that they
// pass on it.

/** What a machine has at these places when the services are installed from Debian. */
const programs = [
  ...['redis-server', 'chromium-headless-shell', 'promtool', 'prometheus', 'curl'].map(
    (name) => `/usr/bin/${name}`,
  ),
  ...['nginx', 'haproxy', 'pgbouncer'].map((name) => `/usr/sbin/${name}`),
]
const folders = ['/usr/lib/postgresql', '/usr/lib/python3/dist-packages/requests']
const changed = ['/usr/bin', '/usr/sbin', '/usr/lib']

/** The message of a test that is skipped because a service is missing, for each service that `npm test` uses. */
const reasons = [
  'redis-server is not installed',
  'PostgreSQL is not installed',
  'none of /usr/bin/chromium-headless-shell, /usr/bin/chromium is installed',
  'promtool is not installed',
  'curl is not installed',
  'haproxy is not installed',
]

/** Runs a command in a separate file system without them. */
const hide = `set -e
  mount -t tmpfs none /mnt
  for place in ${changed.join(' ')}; do
    changes=/mnt/$place
    mkdir -p "$changes/upper" "$changes/work"
    mount -t overlay none -o "lowerdir=$place,upperdir=$changes/upper,workdir=$changes/work" "$place"
  done
  rm -rf ${[...programs, ...folders].join(' ')}
  exec "$@"`

t.test('without services the tests pass, and each that is skipped says why', async (t) => {
  const { code, output } = await runWithout([], '0')
  t.same(output.match(/^.* (?:FAILED|not ok).*$/gm) ?? [], [])
  t.equal(code, 0)
  const skipped = output.slice(output.indexOf('\nSkipped:\n'))
  for (const reason of reasons) t.match(skipped, reason)
  figure(output.trimEnd().split('\n').at(-1) ?? '')
})

t.test('with REQUIRE_SERVICES=1 a test that is skipped because one is missing fails', async (t) => {
  const files = ['test/counters/redis-counter.test.ts', 'test/documents/scenarios.test.ts']
  const { code, output } = await runWithout(files, '1')
  t.equal(code, 1)
  for (const file of files) t.match(output, new RegExp(`not installed.*: ${file}\n`))
})

async function runWithout(files: readonly string[], requireServices: string) {
  const hidden = ['--mount', '/bin/sh', '-c', hide, 'sh']
  const child = spawn('unshare', [...hidden, process.execPath, 'test/run.ts', ...files], {
    env: { ...process.env, REQUIRE_SERVICES: requireServices },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  return { code, output }
}
