import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Logger } from '../../platform/log/log.ts'
import { stampPage } from './stamp-page.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The page could not be built from its sources; the message says why. */
export class PageBuildError extends Error {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the portal's page could not be built from src/portal-ui: ${reason}`, options)
    this.name = 'PageBuildError'
  }
}

/** The folder of this program, a repository or an image. */
const here = fileURLToPath(new URL('../../..', import.meta.url))

export interface BuildPageOptions {
  readonly log: Logger
  /** Absolute; holds one folder per state of the sources. (Default: `dist/portal-ui` of the repository) */
  readonly folder?: string
  /** Absolute; where the sources are. (Default: this program) */
  readonly repository?: string
}

/** Where a release, which has no sources, has the page: below the folder of the program. */
export function shippedPage(program: string): string {
  return join(program, 'dist', 'portal-ui', 'shipped')
}

/**
 * Finds the built page for the current sources, or builds it; in a release, the
 * page that came with it. Several processes
 * may build at once, each in its own folder; the first to finish moves its
 * folder into place in one step and the others use it. The build runs in its
 * own process, so calls through a gateway in this one do not wait for it.
 *
 * @returns the absolute path of the folder
 * @throws {PageBuildError}
 */
export async function buildPage(options: BuildPageOptions): Promise<string> {
  const { log, repository = here, folder = join(repository, 'dist', 'portal-ui') } = options
  if (existsSync(shippedPage(repository))) return shippedPage(repository)
  const place = join(folder, await stampPage(repository))
  if (existsSync(place)) return place
  log.info('building the portal page; this takes a few seconds after every change to its sources')
  const startedAt = performance.now()
  const aside = await makeFolderAside(folder)
  try {
    // Its own subfolder: only this user may read the folder that mkdtemp creates.
    const built = join(aside, 'page')
    await runVite(repository, built)
    await compressFiles(built)
    await putIntoPlace(built, place)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'built the portal page')
  await removeOld(folder, place)
  return place
}

async function makeFolderAside(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true })
    return await mkdtemp(join(folder, '.building-'))
  } catch (cause) {
    throw new PageBuildError(
      'it is not in dist/ (or older than its sources) and dist/ cannot be written; build it with "tollgate build" first',
      { cause },
    )
  }
}

/** Seconds it takes at most; a hundred times what it takes. */
const buildSecondsMax = 180

async function runVite(repository: string, outDir: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=1',
      vitePath(),
      'build',
      '--config',
      join(repository, 'src', 'portal-ui', 'vite.config.ts'),
      '--configLoader',
      'native',
      '--outDir',
      outDir,
      '--logLevel',
      'error',
    ],
    // The environment holds secrets that the build tools do not need. The other variables let the allocators of glibc and
    // Rolldown return memory early: 430 instead of 580 MB.
    {
      cwd: repository,
      env: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', MIMALLOC_PURGE_DELAY: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: buildSecondsMax * 1000,
    },
  )
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(0, 4_000)
  })
  let code: unknown
  try {
    ;[code] = await once(child, 'close')
  } catch (cause) {
    throw new PageBuildError('its build cannot be started', { cause })
  }
  if (code !== 0) {
    const reason = stripVTControlCharacters(said).trim()
    throw new PageBuildError(reason === '' ? `the build ended with ${code}` : reason)
  }
}

function vitePath(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('vite/package.json')
    return join(dirname(manifest), 'bin', 'vite.js')
  } catch (cause) {
    throw new PageBuildError('vite is not installed; run "npm ci"', { cause })
  }
}

/** Writes a `.br` and a `.gz` beside every script, style and picture, so that serving needs no compression. */
async function compressFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(js|css|svg)$/.test(name)) continue
    const path = join(folder, name)
    const content = await readFile(path)
    await Promise.all([
      brotli(content).then((bytes) => writeFile(`${path}.br`, bytes)),
      zip(content, { level: 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
    ])
  }
}

async function putIntoPlace(built: string, place: string): Promise<void> {
  try {
    await rename(built, place)
  } catch (error) {
    // Another process finished first, with the same sources.
    if (!existsSync(place)) throw error
  }
}

/** Long enough for any process that still serves an older page from this folder to be gone. */
const keptMs = 24 * 3_600_000

async function removeOld(folder: string, place: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (path === place) continue
    // Another process may remove it at the same time.
    const known = await stat(path).catch(() => undefined)
    if (known !== undefined && Date.now() - known.mtimeMs > keptMs) {
      await rm(path, { recursive: true, force: true })
    }
  }
}
