import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import {
  announcedAddresses,
  openDataFolder,
  readDataFolderSecret,
} from '../../src/platform/database/data-folder.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded-database.ts'

function folder(test: { teardown(undo: () => unknown): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'tg-'))
  test.teardown(() => rmSync(path, { recursive: true, force: true }))
  return join(path, 'data')
}

/** A process that opens the folder, reports the outcome (`said`) and runs until it is killed. */
function opener(path: string) {
  const module = new URL('../../src/platform/database/data-folder.ts', import.meta.url).href
  const program = `
    const { openDataFolder } = await import(${JSON.stringify(module)})
    try { await openDataFolder(${JSON.stringify(path)}); console.log('open') } catch (error) { console.log(error.message) }
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text))
  return {
    child,
    said: Promise.race([line, exit.then(([code]) => `exited with code ${code}`)]),
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

t.test('the folder belongs to its owner alone and is released on close', async (t) => {
  const path = folder(t)
  const first = await openDataFolder(path)
  t.equal(statSync(path).mode & 0o777, 0o700)
  t.equal(readFileSync(join(path, 'tollgate.pid'), 'utf8').split('\n')[0], String(process.pid))
  await t.rejects(openDataFolder(path), {
    name: 'DataFolderBusy',
    message: `DATA_DIR ${first.path} is already open by process ${process.pid}. Stop that process, or set another DATA_DIR and other ports`,
  })
  await first.close()
  await (await openDataFolder(path)).close()
})

t.test('the addresses of a process are known on its folder while it lives', async (t) => {
  const path = folder(t)
  t.same(await announcedAddresses(path), {}, 'no folder')
  const ours = await openDataFolder(path)
  t.same(await announcedAddresses(path), {}, 'not yet known')
  const addresses = { gateway: 'http://127.0.0.1:8090', portal: 'http://127.0.0.1:8091' }
  ours.announce(addresses)
  t.same(await announcedAddresses(path), addresses)
  await ours.close()
  t.same(await announcedAddresses(path), {}, 'closed')
  const killed = opener(path)
  t.equal(await killed.said, 'open')
  await killed.kill()
  t.same(await announcedAddresses(path), {}, 'killed')
})

t.test('of processes that open one folder together exactly one gets it', async (t) => {
  const path = folder(t)
  const openers = [opener(path), opener(path), opener(path), opener(path)]
  t.teardown(() => Promise.all(openers.map((each) => each.kill())))
  const said = await Promise.all(openers.map((each) => each.said))
  t.equal(said.filter((line) => line === 'open').length, 1, said.join('; '))
  const owner = openers[said.indexOf('open')]?.child.pid
  for (const line of said.filter((line) => line !== 'open')) {
    t.match(line, `is already open by process ${owner}`)
  }
})

t.test('after SIGKILL exactly one of several successors takes the folder over', async (t) => {
  const path = folder(t)
  const killed = opener(path)
  t.equal(await killed.said, 'open')
  await killed.kill()
  const openers = [opener(path), opener(path), opener(path), opener(path)]
  t.teardown(() => Promise.all(openers.map((each) => each.kill())))
  const said = await Promise.all(openers.map((each) => each.said))
  t.equal(said.filter((line) => line === 'open').length, 1, said.join('; '))
})

t.test('a lock whose pid now belongs to another program is taken over', async (t) => {
  // The pid of a live process that is not the owner: ours, and our parent's.
  for (const pid of [process.pid, process.ppid]) {
    const path = folder(t)
    const file = join(path, 'tollgate.pid')
    const killed = opener(path)
    t.equal(await killed.said, 'open')
    await killed.kill()
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(pid)))
    await (await openDataFolder(path)).close()
    writeFileSync(file, `${pid}\n.lock-00000000\n`)
    await (await openDataFolder(path)).close()
  }
})

t.test('a lock file that names only a pid is believed while that process lives', async (t) => {
  const path = folder(t)
  await (await openDataFolder(path)).close()
  writeFileSync(join(path, 'tollgate.pid'), `${process.ppid}\n`)
  await t.rejects(openDataFolder(path), { name: 'DataFolderBusy', pid: process.ppid })
  const dead = opener(path)
  await dead.said
  await dead.kill()
  writeFileSync(join(path, 'tollgate.pid'), `${dead.child.pid}\n`)
  await (await openDataFolder(path)).close()
})

t.test('a secret is made once, kept with mode 0600 and readable beside the owner', async (t) => {
  const path = folder(t)
  const data = await openDataFolder(path)
  t.equal(await readDataFolderSecret(path, 'key-pepper'), undefined)
  t.equal(await data.secret('key-pepper', () => 'first'), 'first')
  t.equal(await data.secret('key-pepper', () => 'second'), 'first')
  t.equal(await readDataFolderSecret(path, 'key-pepper'), 'first')
  t.equal(statSync(join(path, 'key-pepper')).mode & 0o777, 0o600)
  await data.close()
  chmodSync(path, 0o755)
  const again = await openDataFolder(path)
  t.equal(await again.secret('key-pepper', () => 'third'), 'first')
  t.equal(statSync(path).mode & 0o777, 0o700)
  await again.close()
})

t.test('a path too long for a socket is named with its limit', async (t) => {
  const path = join(folder(t), 'x'.repeat(100))
  await t.rejects(openDataFolder(path), {
    name: 'SocketPathTooLong',
    message: /^DATA_DIR is too long a path: the socket "[^"]+" has \d+ bytes, at most 107/,
  })
  await t.rejects(startEmbeddedDatabase({ dataDir: path, log: { error() {} } }), {
    name: 'SocketPathTooLong',
  })
})

t.test(
  'a folder that another user owns is refused, because that user could replace its secrets',
  { skip: process.getuid?.() !== 0 && 'only root can give a folder away' },
  async (t) => {
    const path = folder(t)
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, 65_534, 65_534)
    await t.rejects(openDataFolder(path), {
      name: 'DataFolderExposed',
      message: /belongs to the user with id 65534, and this process runs as 0/,
    })
  },
)
