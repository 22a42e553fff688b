import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { billOfMaterials } from './bill-of-materials.ts'
import { readChangelog, releaseNotes } from './changelog.ts'
import { packTarball } from './pack.ts'
import { makePackageFolder } from './package-folder.ts'

export interface ArtefactsOptions {
  /** Absolute. */
  readonly repository: string
  readonly version: string
  /** The commit, as 40 hexadecimal digits. */
  readonly revision: string
  /** When the commit was made. */
  readonly committedAt: Date
}

/** Where the files of a release are. */
export function artefactsFolder(repository: string, version: string): string {
  return join(repository, 'dist', 'release', version)
}

/**
 * Makes the files of a release in `dist/release/<version>`: the tarball, the
 * list of its packages, their licences, the notes and the checksums of all. The
 * same commit gives the same bytes, also in another folder. After a failure there
 * is no such folder, only `dist/release/working` to look into.
 *
 * @returns the folder
 * @throws if two tarballs of the same commit differ
 */
export async function makeArtefacts(options: ArtefactsOptions): Promise<string> {
  const { repository, version, revision, committedAt } = options
  const working = join(repository, 'dist', 'release', 'working')
  const complete = artefactsFolder(repository, version)
  for (const old of [working, complete]) await rm(old, { recursive: true, force: true })
  const folder = join(working, 'files')
  await mkdir(folder, { recursive: true })
  const [tarball, again] = [
    await makeTarball(join(working, '1'), options),
    await makeTarball(join(working, '2'), options),
  ]
  if ((await digestOf(tarball)) !== (await digestOf(again))) {
    throw new Error(
      `two tarballs of ${revision} differ; compare ${tarball} with ${again} (tar -tvzf)`,
    )
  }
  await rename(tarball, join(folder, `tollgate-${version}.tgz`))
  await copyFile(join(working, '1', 'package', 'NOTICE'), join(folder, 'NOTICE'))
  const bill = datedBill(await billOfMaterials(), committedAt)
  await writeFile(join(folder, `tollgate-${version}.cdx.json`), bill)
  const changelog = await readFile(join(repository, 'CHANGELOG.md'), 'utf8')
  const section = readChangelog(changelog).find((each) => each.version === version)
  await writeFile(join(folder, 'NOTES.md'), releaseNotes({ version, text: section?.text ?? '' }))
  const names = (await readdir(folder)).sort()
  const sums = await Promise.all(
    names.map(async (name) => `${await digestOf(join(folder, name))}  ${name}\n`),
  )
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  await rename(folder, complete)
  await rm(working, { recursive: true })
  return complete
}

/** From the sources on: the page is built again, too. */
async function makeTarball(folder: string, options: ArtefactsOptions): Promise<string> {
  const { repository, revision } = options
  await makePackageFolder({
    repository,
    revision,
    folder: join(folder, 'package'),
    pages: join(folder, 'pages'),
  })
  return packTarball(join(folder, 'package'), folder)
}

/** Its date is that of the commit, and its number follows from its content, where npm takes the clock and chance. */
function datedBill(bill: object, committedAt: Date): string {
  const { serialNumber: _, metadata, ...rest } = bill as { serialNumber?: string; metadata: object }
  const dated = { ...rest, metadata: { ...metadata, timestamp: committedAt.toISOString() } }
  const hash = createHash('sha256').update(JSON.stringify(dated)).digest('hex')
  // RFC 9562, 5.8: version 8 leaves the bits to us.
  const uuid = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
  return `${JSON.stringify({ ...dated, serialNumber: `urn:uuid:${uuid}` }, undefined, 2)}\n`
}

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}
