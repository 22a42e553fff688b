import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { tollgate } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { configDir } from '../../test/support/published-catalogue.ts'
import { quietEnv } from '../../test/support/tollgate.ts'

/** A data folder that has a key, and no process. */
async function usedFolder(t: Test): Promise<string> {
  const dataDir = await testDataDir(t)
  const onboard = ['onboard', '--email', 'noa@app.example', '--application', 'App']
  const { code, stderr } = await tollgate({ DATA_DIR: dataDir }, ...onboard, '--api', 'xs2a@1.7.0')
  t.equal(code, 0, stderr)
  return dataDir
}

/** Starts on the folder; returns the one line that says why it does not. */
async function refusal(t: Test, dataDir: string): Promise<string> {
  const { code, stdout, stderr } = await tollgate({ ...quietEnv, DATA_DIR: dataDir }, 'start')
  t.equal(code, 1)
  t.equal(stdout, '', 'never ready')
  return oneLine(t, stderr)
}

function oneLine(t: Test, stderr: string): string {
  t.match(stderr, /^tollgate: [^\n]+\n$/, 'one line')
  t.notMatch(stderr, /\[object|\n {4}at |PGlite|Aborted/)
  return stderr
}

/** What a start writes to standard error that runs behind `script`, which ends in `"$@"`. */
function startedBehind(
  command: readonly string[],
  script: string,
  dataDir: string,
): Promise<string> {
  const launcher = join(configDir, '..', 'bin', 'tollgate.js')
  const [shell = '', ...args] = [...command, '/bin/sh', '-c', script, 'sh']
  const env = { ...childEnvironment, ...quietEnv, DATA_DIR: dataDir }
  return new Promise((resolve) => {
    execFile(
      shell,
      [...args, process.execPath, launcher, 'start'],
      { env },
      (_error, _out, stderr) => resolve(stderr),
    )
  })
}

/** A separate namespace needs no rights, but not every container allows it. */
const inOwnMounts = ['unshare', '--user', '--map-root-user', '--mount']

function mountsMissing(): string | false {
  try {
    const mount = 'mount -t tmpfs none /mnt'
    execFileSync('unshare', [...inOwnMounts.slice(1), '/bin/sh', '-c', mount], { stdio: 'ignore' })
    return false
  } catch {
    return 'this machine allows no mounts'
  }
}

t.test('a folder that lost what its keys need is not started as a new one', async (t) => {
  const dataDir = await usedFolder(t)
  const pepper = join(dataDir, 'key-pepper')
  for (const [how, lose] of [
    ['empty', () => writeFileSync(pepper, '')],
    ['missing', () => rmSync(pepper)],
  ] as const) {
    lose()
    const said = await refusal(t, dataDir)
    t.match(said, `${pepper} is missing or empty, but the database has keys`, how)
    t.match(said, `Restore ${dataDir} from a backup`)
  }
  t.notOk(readdirSync(dataDir).includes('key-pepper'), 'no other pepper was made')
  const env = { ...quietEnv, DATA_DIR: dataDir }
  const { code, stderr } = await tollgate(env, 'developer', 'list')
  t.equal(code, 1)
  t.match(stderr, 'key-pepper is missing or empty', 'a command says the same')
})

t.test('a folder that lost its database is not started as a new one', async (t) => {
  const dataDir = await usedFolder(t)
  const database = join(dataDir, 'database')
  rmSync(join(database, 'PG_VERSION'))
  t.match(await refusal(t, dataDir), `${database} is damaged: PG_VERSION is missing`)
  rmSync(database, { recursive: true })
  for (const make of [() => undefined, () => mkdirSync(database)]) {
    make()
    const said = await refusal(t, dataDir)
    t.match(said, `the embedded database ${database} is missing, but DATA_DIR had one`)
    t.match(said, 'it holds key-pepper')
    t.match(said, `Restore ${dataDir} from a backup`)
  }
})

t.test('damaged database files are reported in one line', async (t) => {
  const dataDir = await testDataDir(t)
  const database = join(dataDir, 'database')
  writeFileSync(join(database, 'global', 'pg_control'), 'garbage')
  const said = await refusal(t, dataDir)
  t.match(said, `${database} does not start; its files are probably damaged. Restore ${dataDir}`)
})

t.test('a journal that is a folder is named', async (t) => {
  const dataDir = await testDataDir(t)
  mkdirSync(join(dataDir, 'counters.journal'))
  const said = await refusal(t, dataDir)
  t.match(said, `the journal of the counters ${dataDir}/counters.journal must be a file`)
})

t.test('a full disk is named', { skip: mountsMissing() }, async (t) => {
  const dataDir = await testDataDir(t)
  const script = 'mount -t tmpfs -o size=8M none "$DATA_DIR" && exec "$@"'
  const said = oneLine(t, await startedBehind(inOwnMounts, script, dataDir))
  t.match(said, `the disk of DATA_DIR ${dataDir} is full. Make room`)
})

t.test('too few descriptors are named, with how many it takes', async (t) => {
  const dataDir = await testDataDir(t)
  const said = oneLine(t, await startedBehind([], 'ulimit -n 64 && exec "$@"', dataDir))
  t.match(said, 'this process may open too few files. Allow at least 1024 (ulimit -n 1024)')
})
