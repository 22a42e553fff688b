import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readChangelog } from '../../release/changelog.ts'
import { proofSize } from '../size.ts'

// As a whole proof: two clones with packages of their own, and three builds of the page.
t.setTimeout(800_000)

const root = fileURLToPath(new URL('../../', import.meta.url))
mkdirSync(join(root, 'dist'), { recursive: true })
// On the disk of the repository, whose packages are linked.
const folder = mkdtempSync(join(root, 'dist', 'test-release-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** The next patch: "0.2.1" after "0.2.0". */
const patchAfter = (version: string): string =>
  version.replace(/\d+$/, (patch) => String(Number(patch) + 1))

function addSection(changelog: string, version: string): void {
  const text = readFileSync(changelog, 'utf8')
  const section = `## ${version} (unreleased)\n\n- **Fix:** one.\n\n`
  writeFileSync(changelog, text.replace(/^## /m, `${section}## `))
}

const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@tollgate.example']
const gitIn = (repository: string, ...args: readonly string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' }).trim()

/**
 * A repository with the files as they are here, committed or not, and something
 * to release: directly after a release, the changelog has nothing new.
 */
function copyRepository(): { readonly repository: string; readonly version: string } {
  const repository = join(folder, 'first')
  mkdirSync(repository)
  const listed = gitIn(root, 'ls-files', '--cached', '--others', '--exclude-standard')
  for (const file of listed.split('\n')) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(repository, file))
  }
  const changelog = join(repository, 'CHANGELOG.md')
  const [newest] = readChangelog(readFileSync(changelog, 'utf8'))
  if (newest === undefined) throw new Error('CHANGELOG.md has no version')
  const isReleased = newest.date !== undefined
  const version = isReleased ? patchAfter(newest.version) : newest.version
  if (isReleased) addSection(changelog, version)
  gitIn(repository, 'init', '--quiet', '--initial-branch', 'main')
  gitIn(repository, 'config', 'user.name', 'Tester')
  gitIn(repository, 'config', 'user.email', 'tester@tollgate.example')
  gitIn(repository, 'add', '--all')
  gitIn(repository, 'commit', '--quiet', '--message', 'everything')
  return { repository, version }
}

/** For each proof, a run that holds for what is committed. */
function recordRuns(repository: string, names: readonly string[]): void {
  const commit = gitIn(repository, 'rev-parse', '--short=8', 'HEAD')
  const rows = names.map(
    (name) => `| 2026-12-01 | ${commit} | ${name} | whole | 1 | 1 s | 2 | – | held |\n`,
  )
  appendFileSync(join(repository, 'proofs', 'runs.md'), rows.join(''))
  gitIn(repository, 'commit', '--quiet', '--all', '--message', 'docs: runs of all proofs')
}

function linkPackages(repository: string): void {
  execFileSync('cp', ['-al', join(root, 'node_modules'), repository])
}

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function npmRun(repository: string, ...args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', ...args], { cwd: repository }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const { repository, version } = copyRepository()
linkPackages(repository)
const files = join(repository, 'dist', 'release', version)
const digestOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

t.test('a dirty tree and a wrong version are refused, and nothing changes', async (t) => {
  writeFileSync(join(repository, 'new-file'), '')
  const refused = await npmRun(repository, 'release', '--', '9.9.9')
  t.equal(refused.code, 1)
  t.match(
    refused.stderr,
    /^release: 9\.9\.9 cannot be released:\n {2}the tree has changes \(\?\? new-file\)/,
  )
  t.match(refused.stderr, /"9\.9\.9" is not the next version: after |no section "## 9\.9\.9 /)
  rmSync(join(repository, 'new-file'))
  t.match(await npmRun(repository, 'release'), { code: 1, stderr: /^release: usage: / })
  t.equal(gitIn(repository, 'status', '--porcelain'), '')
})

t.test('a proof that did not run on what is released is named', async (t) => {
  const { code, stderr } = await npmRun(repository, 'release', '--', version)
  t.equal(code, 1)
  const [, names = ''] = /run `npm run prove -- ([^`]+)`/.exec(stderr) ?? []
  const due = names.split(' ')
  t.ok(due.includes('faults') && due.includes('attacks') && due.length > 80, stderr)
  recordRuns(repository, due)
})

t.test('a dry run shows the notes and changes nothing', async (t) => {
  const { code, stdout, stderr } = await npmRun(repository, 'release', '--', version, '--dry-run')
  t.equal(code, 0, stderr)
  t.match(stdout, `# Tollgate ${version}\n`)
  t.match(stdout, /^## Upgrade$/m)
  t.equal(gitIn(repository, 'status', '--porcelain'), '')
  t.equal(gitIn(repository, 'tag', '--list'), '')
  t.notOk(existsSync(files))
})

// Packing takes minutes: `package` makes a package, and `release --whole` a whole release.
if (proofSize({ share: 0, whole: 1 }) > 0) {
  t.test('one command makes commit, tag and every file of a release', async (t) => {
    const { code, stdout, stderr } = await npmRun(repository, 'release', '--', version)
    t.equal(code, 0, stderr)
    t.match(stdout, `git push origin HEAD v${version}`)

    t.equal(gitIn(repository, 'log', '-1', '--format=%s'), `chore(release): ${version}`)
    t.equal(gitIn(repository, 'status', '--porcelain'), '')
    t.equal(gitIn(repository, 'cat-file', '-t', `v${version}`), 'tag', 'annotated')
    const head = gitIn(repository, 'rev-parse', 'HEAD')
    t.equal(gitIn(repository, 'rev-parse', `v${version}^{commit}`), head)
    const [section] = readChangelog(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8'))
    t.match(section, { version, date: /^\d{4}-\d\d-\d\d$/ })
    const { version: packed } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    t.equal(packed, version)

    const notes = readFileSync(join(files, 'NOTES.md'), 'utf8')
    t.match(notes, /^## Upgrade$/m)
    t.match(gitIn(repository, 'tag', '--list', '--format=%(contents)'), notes.trim().slice(0, 200))

    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: files })
    t.same(
      String(checked).trim().split('\n').toSorted(),
      ['NOTES.md', 'NOTICE', `tollgate-${version}.cdx.json`, `tollgate-${version}.tgz`].map(
        (name) => `${name}: OK`,
      ),
    )

    const bill = JSON.parse(readFileSync(join(files, `tollgate-${version}.cdx.json`), 'utf8'))
    t.match(bill, {
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'tollgate', version } },
    })
    t.match(
      bill.serialNumber,
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    )

    const notice = readFileSync(join(files, 'NOTICE'), 'utf8')
    for (const { name, version } of bill.components) {
      t.ok(notice.includes(`\n${name}@${version} (`), `NOTICE names ${name}@${version}`)
    }
    t.match(notice, 'Permission is hereby granted, free of charge')
    t.match(notice, 'SIL OPEN FONT LICENSE', 'the faces of the page')

    const tarball = join(files, `tollgate-${version}.tgz`)
    const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'])
    t.match(JSON.parse(String(manifest)), { version, gitHead: head })
    const listing = execFileSync('tar', ['-tvzf', tarball], {
      maxBuffer: 2 ** 26,
      encoding: 'utf8',
    })
    const entries = listing
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    t.same([...new Set(entries)].toSorted(), ['-rw-r--r-- 0/0', '-rwxr-xr-x 0/0'])
  })

  t.test(
    'the tag gives the same tarball and list of packages, to the byte, in another folder',
    async (t) => {
      const second = join(folder, 'another-place', 'second')
      mkdirSync(join(folder, 'another-place'))
      gitIn(folder, 'clone', '--quiet', '--branch', `v${version}`, repository, second)
      linkPackages(second)
      const { code, stderr } = await npmRun(second, 'package')
      t.equal(code, 0, stderr)
      for (const name of [
        `tollgate-${version}.tgz`,
        `tollgate-${version}.cdx.json`,
        'SHA256SUMS',
      ]) {
        const other = join(second, 'dist', 'release', version, name)
        t.equal(digestOf(other), digestOf(join(files, name)), name)
      }
    },
  )

  t.test('a version is released once', async (t) => {
    const { code, stderr } = await npmRun(repository, 'release', '--', version)
    t.equal(code, 1)
    t.match(stderr, `the tag v${version} exists`)
  })

  t.test('a release that fails leaves the branch where it was', async (t) => {
    const next = patchAfter(version)
    addSection(join(repository, 'CHANGELOG.md'), next)
    gitIn(repository, 'commit', '--quiet', '--all', '--message', 'fix: one')
    const before = gitIn(repository, 'rev-parse', 'HEAD')
    const manifest = join(repository, 'node_modules', 'wouter', 'package.json')
    rmSync(manifest)
    rmSync(join(repository, 'node_modules', 'fastify', 'package.json'))
    const { code, stderr } = await npmRun(repository, 'release', '--', next)
    t.equal(code, 1)
    t.match(stderr, /Nothing was changed\.\n$/)
    t.equal(gitIn(repository, 'rev-parse', 'HEAD'), before)
    t.equal(gitIn(repository, 'status', '--porcelain'), '')
    t.notMatch(gitIn(repository, 'tag', '--list'), next)
    t.notOk(existsSync(join(repository, 'dist', 'release', next)))
  })
}
