import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { shippedDatabase } from '../src/platform/database/empty-database.ts'
import { createLog } from '../src/platform/log/log.ts'
import { buildPage, shippedPage } from '../src/portal/pages/build-page.ts'
import { bundlePackages } from './bundled-packages.ts'
import { writeEmptyDatabase } from './empty-database.ts'
import { lockedPackages, nameOf } from './lock-file.ts'
import { writeNotice } from './notice.ts'
import { followDocuments } from './package-documents.ts'
import { makeReadable } from './readable.ts'
import { sourceFiles } from './source-files.ts'
import { transpile } from './transpile.ts'

/** Files with which a process or thread of the program begins; the first is the command line. */
const entries = [
  'src/cli/main.js',
  'src/platform/database/create-database.js',
  'src/platform/database/embedded-database-worker.js',
  'src/portal/accounts/password-estimate-thread.js',
]

/** Copied as they are; the links of documents follow. */
const copied = [
  'bin',
  'config',
  'deploy',
  'docs',
  'tollgate',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
]

/** The page comes built. */
const leftOut = ['src/portal-ui/']

export interface PackageFolderOptions {
  /** Absolute; all its packages are installed. */
  readonly repository: string
  /** Absolute, below `repository`. It is emptied first. */
  readonly folder: string
  /** The commit, as 40 hexadecimal digits; undefined if unknown. */
  readonly revision: string | undefined
  /** Absolute; where the page is built, or found built. (Default: `dist/portal-ui` of the repository) */
  readonly pages?: string
}

/**
 * Makes the folder that a release consists of: the program as JavaScript, the
 * portal's built page, an empty database, configuration, documents and the
 * packages that it needs.
 * It runs without TypeScript, and without an installation where it finds a Node
 * of the right version.
 *
 * @throws PageBuildError
 */
export async function makePackageFolder(options: PackageFolderOptions): Promise<void> {
  const { repository, folder, revision, pages = join(repository, 'dist', 'portal-ui') } = options
  const page = await buildPage({ log: createLog('warn'), repository, folder: pages })
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const files = (names: readonly string[]) =>
    sourceFiles(repository, names).filter((path) => !leftOut.some((left) => path.startsWith(left)))
  await transpile({ repository, folder, files: files(['src']) })
  await writeEmptyDatabase(join(folder, 'src', 'platform', 'database', shippedDatabase))
  for (const path of files(copied)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await copyFile(join(repository, path), join(folder, path))
  }
  await cp(page, shippedPage(folder), { recursive: true })
  await bundlePackages({ repository, folder, entries })
  await writeFile(join(folder, 'NOTICE'), await writeNotice(repository))
  const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const complete = { ...manifest, dependencies: { ...manifest.dependencies, ...peers(repository) } }
  const text = JSON.stringify(releaseManifest(complete, revision), undefined, 2)
  await writeFile(join(folder, 'package.json'), `${text}\n`)
  await followDocuments(folder)
  await chmod(join(folder, 'bin', 'tollgate.js'), 0o755)
  await makeReadable(folder)
}

/** Versions of packages that others want beside themselves: npm packs only what a package names itself. */
function peers(repository: string): Record<string, string> {
  const found = [...lockedPackages(repository)].flatMap(([path, { dev, peer, version }]) =>
    peer === true && dev !== true ? [[nameOf(path), version] as const] : [],
  )
  return Object.fromEntries(found)
}

/** Members of package.json that say the same of the repository and of a release. */
type Manifest = Readonly<{
  name: string
  version: string
  description: string
  license: string
  type: string
  engines: object
  bin: object
  dependencies: Readonly<Record<string, string>>
  optionalDependencies: Readonly<Record<string, string>>
}>

/**
 * The package.json of a release. Only this one knows the commit, by npm's own
 * member `gitHead`.
 */
function releaseManifest(manifest: Manifest, revision: string | undefined): object {
  const { name, version, description, license, type, engines, bin } = manifest
  const { dependencies, optionalDependencies } = manifest
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    os: ['linux', 'darwin'],
    bin,
    imports: { '#main': './src/cli/main.js' },
    files: [...copied, 'dist', 'src', 'NOTICE'],
    dependencies,
    optionalDependencies,
    bundleDependencies: Object.keys(dependencies),
    ...(revision === undefined ? {} : { gitHead: revision }),
  }
}
