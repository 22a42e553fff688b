import { type Dirent, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Language } from '../messages/language.ts'
import { CatalogueError } from './catalogue-error.ts'
import { isTranslated, type TranslationFile } from './load-translation.ts'
import type { VersionFiles } from './load-version.ts'
import type { Sources } from './source.ts'
import { compareVersions, isVersionLabel } from './version-label.ts'

/** What the folders hold: the names are sound, the contents unknown. */
export interface ConfigurationFiles {
  /** APIs by name, versions oldest first. */
  readonly versions: readonly VersionFiles[]
  /** Those of all APIs first. */
  readonly translations: readonly TranslationFile[]
  /** By name. */
  readonly plans: readonly { readonly path: string; readonly name: string }[]
  /** Files and folders beside documents, which documents may refer to. */
  readonly others: readonly string[]
}

/** What may be in the folder of an API. */
export const besideDocuments =
  'documents named by their version (1.7.0.yaml, 4.json), their overlays (1.7.0.overlay.yaml), their texts in another language (he.yaml), and what documents refer to'

/** Without its folders, every further problem would only follow from that. @throws {CatalogueError} */
export function checkFolders(sources: Sources, configDir: string): void {
  for (const folder of ['apis', 'plans']) {
    try {
      if (statSync(join(configDir, folder), { throwIfNoEntry: false }) !== undefined) continue
    } catch (error) {
      sources.reportUnreadable(folder, error)
      continue
    }
    const message = 'the folder is missing: CONFIG_DIR holds the API documents and the plans'
    sources.reportFile(
      folder,
      'missing-folder',
      message,
      'apis/xs2a/1.7.0.yaml, plans/default.yaml',
    )
  }
  if (sources.problems.length > 0) throw new CatalogueError(sources.problems)
}

/** Whether a text can name an API or a plan. */
export function isPublishedName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,63}$/.test(text)
}

/** Finds the files of the configuration by their names, and reports names that mean nothing. */
export async function findFiles(sources: Sources, configDir: string): Promise<ConfigurationFiles> {
  const versions: VersionFiles[] = []
  const translations: TranslationFile[] = []
  const others: string[] = []
  for (const folder of await entriesOf(sources, configDir, 'apis')) {
    const api = folder.name
    const language = stemOf(folder)
    if (isTranslated(language)) {
      translations.push({ path: `apis/${api}`, api: undefined, language })
    } else if (!folder.isDirectory()) {
      reportUnknownFile(sources, `apis/${api}`, 'a folder for each API')
    } else if (!isPublishedName(api)) {
      const message = 'an API is named by a small letter followed by small letters, digits and "-"'
      sources.reportFile(`apis/${api}`, 'api-name', message, 'xs2a')
    } else {
      const found = findVersions(sources, api, await entriesOf(sources, configDir, `apis/${api}`))
      versions.push(...found.versions)
      translations.push(...found.translations)
      others.push(...found.others)
    }
  }
  if (versions.length === 0 && sources.problems.length === 0) {
    const message = 'there are no API documents'
    sources.reportFile('apis', 'empty-configuration', message, 'apis/xs2a/1.7.0.yaml')
  }
  const plans: { path: string; name: string }[] = []
  for (const entry of await entriesOf(sources, configDir, 'plans')) {
    const name = stemOf(entry)
    if (name !== undefined && isPublishedName(name)) {
      plans.push({ path: `plans/${entry.name}`, name })
    } else reportUnknownFile(sources, `plans/${entry.name}`, 'plans like default.yaml')
  }
  // Files of one API come after those of all: what they say counts.
  translations.sort((a, b) => Number(a.api !== undefined) - Number(b.api !== undefined))
  return { versions, translations, plans, others }
}

/** What the folder of an API holds: documents, their overlays, and their texts in other languages. */
function findVersions(
  sources: Sources,
  api: string,
  entries: readonly Dirent[],
): Omit<ConfigurationFiles, 'plans'> {
  const documents = new Map<string, string>()
  const overlays = new Map<string, string>()
  const translations: TranslationFile[] = []
  const others: string[] = []
  for (const entry of entries) {
    const path = `apis/${api}/${entry.name}`
    const [, stem = '', kind = ''] = /^(.+?)(\.overlay)?\.(?:ya?ml|json)$/.exec(entry.name) ?? []
    if (!entry.isDirectory() && isVersionLabel(stem)) {
      const files = kind === '' ? documents : overlays
      // 1.0 and 1.00 are one version: nothing could say which is newer.
      const other = [...files].find(([label]) => compareVersions(label, stem) === 0)
      if (other === undefined) files.set(stem, path)
      else {
        const message = `the version has another file, ${other[1]}: keep one`
        sources.reportFile(path, 'version-twice', message)
      }
    } else if (isTranslated(stemOf(entry))) {
      translations.push({ path, api, language: stemOf(entry) as Language })
    } else others.push(path)
  }
  for (const [version, path] of overlays) {
    if (documents.has(version)) continue
    sources.reportFile(path, 'overlay-invalid', `there is no document of version ${version}`)
  }
  const versions = [...documents]
    .sort(([one], [other]) => compareVersions(one, other))
    .map(([version, path]) => ({ path, overlay: overlays.get(version), api, version }))
  return { versions, translations, others }
}

/** Sorted by name, without hidden ones (a mounted ConfigMap has some). */
async function entriesOf(
  sources: Sources,
  configDir: string,
  folder: string,
): Promise<readonly Dirent[]> {
  const path = join(configDir, folder)
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    sources.reportUnreadable(folder, error)
    return []
  }
}

function stemOf(entry: Dirent): string | undefined {
  if (entry.isDirectory()) return undefined
  return /^(.+)\.yaml$/.exec(entry.name)?.[1]
}

/** Reports a file that nothing reads. */
export function reportUnknownFile(sources: Sources, path: string, expected: string): void {
  sources.reportFile(path, 'unknown-file', `unexpected file or folder; expected: ${expected}`)
}
