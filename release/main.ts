import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { artefactsFolder, makeArtefacts } from './artefacts.ts'
import { dateSection, readChangelog, releaseNotes } from './changelog.ts'
import { dueProofs } from './due-proofs.ts'
import { currentCommit, git } from './git.ts'
import { releaseProblems } from './problems.ts'

// This folder makes releases. This file is the command, `npm run release -- <version>`: `problems.ts` and
// `due-proofs.ts` say what a release needs first, `changelog.ts` reads and dates the changelog and writes the notes,
// `artefacts.ts` makes the files. `package-folder.ts` puts the package together: `source-files.ts` lists what it may
// take, `transpile.ts` makes the program, `empty-database.ts` the files of a first start, `bundled-packages.ts` finds
// what it needs, `package-documents.ts` follows links, `notice.ts` gathers licences, and `readable.ts` sets modes.
// `make-package.ts` and `warm-cache.ts` are what the image is built with.

const repository = fileURLToPath(new URL('..', import.meta.url))
const usage = 'usage: npm run release -- <version> [--dry-run], with a version such as 0.2.0'

function main(): Promise<void> | undefined {
  const given = readArguments()
  if (given === undefined) return fail(usage)
  const { version, isDry } = given
  const changelog = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8')
  const tags = git(repository, 'tag', '--list').split('\n')
  const problems = releaseProblems({
    version,
    changelog,
    tags,
    changes: git(repository, 'status', '--porcelain').split('\n').filter(Boolean),
    branch: git(repository, 'branch', '--show-current') || undefined,
    dueProofs: dueProofs(repository, tags),
  })
  if (problems.length > 0) return fail(`${version} cannot be released:`, ...problems)
  const section = readChangelog(changelog).find((each) => each.version === version)
  const notes = releaseNotes({ version, text: section?.text ?? '' })
  if (!isDry) return release(version, changelog, notes)
  process.stdout.write(
    `${notes}\nNothing was changed. Without --dry-run, ${version} is released.\n`,
  )
  return undefined
}

function readArguments(): { readonly version: string; readonly isDry: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      options: { 'dry-run': { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [version, ...others] = positionals
    if (version === undefined || others.length > 0) return undefined
    return { version, isDry: values['dry-run'] }
  } catch {
    return undefined
  }
}

/** Commits, makes the files of the commit, and tags it last. After a failure the branch is where it was. */
async function release(version: string, changelog: string, notes: string): Promise<void> {
  const before = git(repository, 'rev-parse', 'HEAD')
  const date = new Date().toISOString().slice(0, 10)
  try {
    writeFileSync(join(repository, 'CHANGELOG.md'), dateSection(changelog, version, date))
    setVersion(version)
    git(repository, 'commit', '--quiet', '--all', '--message', `chore(release): ${version}`)
    const folder = await makeArtefacts({ repository, version, ...currentCommit(repository) })
    // Verbatim: git would take the headings for comments.
    git(repository, 'tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', notes)
    process.stdout.write(
      `${version} is released in ${relative(process.cwd(), folder)}. Publish it:\n\n  git push origin HEAD v${version}\n`,
    )
  } catch (error) {
    // The tree was clean, so only what this command wrote is lost.
    git(repository, 'reset', '--quiet', '--hard', before)
    rmSync(artefactsFolder(repository, version), { recursive: true, force: true })
    fail(error instanceof Error ? error.message : String(error), 'Nothing was changed.')
  }
}

/** In package.json and package-lock.json. */
function setVersion(version: string): void {
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--allow-same-version'], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function fail(...lines: readonly string[]): undefined {
  process.stderr.write(`release: ${lines.join('\n  ')}\n`)
  process.exitCode = 1
}

await main()
