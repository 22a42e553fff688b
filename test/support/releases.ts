import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Locked, lockedPackages } from '../../release/lock-file.ts'
import { madeOnce } from './database-template.ts'

// Releases that were published: the program of a tag, and as a fixture what it left in a database, which
// `test/make-release.ts` makes.

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a fixture's database was made with, and the keys in it. */
export interface ReleaseSecrets {
  readonly pepper: string
  /** Key of an application with every subscription of the sample plan. */
  readonly key: string
  readonly applicationId: string
  /** Key of an application that the release itself gave a limit of {@link limitedCalls}. */
  readonly limitedKey: string
  readonly limitedCalls: number
  /** Calls of `key` that the release served and recorded. */
  readonly recordedCalls: number
}

/** A published release, ready to run. */
export interface Release {
  /** The folder of the program, as `spawnTollgate` takes it. */
  readonly program: string
  readonly secrets: ReleaseSecrets
  /** Fills an empty PostgreSQL with what the release left. */
  restore(databaseUrl: string): void
}

/** Where the fixture of a release is. */
export function releaseFolder(version: string): string {
  return join(root, 'test', 'fixtures', 'releases', version)
}

/** Opens a release with its fixture. */
export async function openRelease(version: string): Promise<Release> {
  const folder = releaseFolder(version)
  if (!existsSync(folder)) {
    throw new Error(
      `release ${version} has no fixture: run "node test/make-release.ts v${version}", and commit it`,
    )
  }
  const program = await programOf(version)
  // Parse boundary: a file of ours.
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as ReleaseSecrets
  return {
    program,
    secrets,
    restore(databaseUrl) {
      const args = ['-q', '-v', 'ON_ERROR_STOP=1', '-f', join(folder, 'database.sql'), databaseUrl]
      execFileSync('psql', args, { stdio: ['ignore', 'ignore', 'inherit'] })
    },
  }
}

/** The folder with the program of the release's tag and its packages, made once per temporary folder. */
export function programOf(version: string): Promise<string> {
  return madeOnce(`tollgate-release-${version}-${process.getuid?.() ?? 0}`, async (path) => {
    const options = ['clone', '--quiet', '--branch', `v${version}`, root, path]
    execFileSync('git', options, { stdio: ['ignore', 'ignore', 'inherit'] })
    installPackages(path)
  })
}

/**
 * Those that are installed here, if each package of the old lock file is among them with its version; else npm fetches the
 * old ones.
 */
function installPackages(program: string): void {
  const here = join(root, 'node_modules')
  if (existsSync(here) && isSatisfied(neededPackages(program), lockedPackages(root))) {
    symlinkSync(here, join(program, 'node_modules'))
    return
  }
  execFileSync('npm', ['ci', '--omit=dev'], {
    cwd: program,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** The packages that a program runs with. Here some of them are for development only. */
function neededPackages(program: string): ReadonlyMap<string, Locked> {
  return new Map([...lockedPackages(program)].filter(([, { dev, optional }]) => !dev && !optional))
}

function isSatisfied(
  wanted: ReadonlyMap<string, Locked>,
  given: ReadonlyMap<string, Locked>,
): boolean {
  return [...wanted].every(([path, { version }]) => given.get(path)?.version === version)
}
