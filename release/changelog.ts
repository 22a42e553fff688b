/** The part of CHANGELOG.md about one version. */
export interface Section {
  /** As "0.2.0". */
  readonly version: string
  /** As "2026-11-27"; undefined: unreleased. */
  readonly date: string | undefined
  /** Markdown below the heading, trimmed. */
  readonly text: string
}

/** The sections of a changelog, the newest first. */
export function readChangelog(text: string): readonly Section[] {
  const headings = [...text.matchAll(/^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$/gm)]
  return headings.map((heading, index) => {
    const [whole, version = '', date] = heading
    const end = headings[index + 1]?.index ?? text.length
    return {
      version,
      date: date === 'unreleased' ? undefined : date,
      text: text.slice(heading.index + whole.length, end).trim(),
    }
  })
}

/** The changelog in which the unreleased section of `version` has a date. */
export function dateSection(text: string, version: string, date: string): string {
  return text.replace(`## ${version} (unreleased)`, `## ${version} (${date})`)
}

const mark = '**To upgrade:**'

/**
 * The notes of a release, in Markdown: what is new, and apart from it what an
 * operator has to do, which the changelog has at the end of single items.
 */
export function releaseNotes({ version, text }: Pick<Section, 'version' | 'text'>): string {
  const items = text.split(/^(?=- )/m).map((item) => item.trim())
  const news = items.map((item) => item.split(mark)[0]?.trim() ?? '')
  // A text before the list is a paragraph of its own.
  const [before = ''] = news
  const introduction = before.startsWith('- ') ? '' : `${news.shift()}\n\n`
  const steps = items.flatMap((item) => {
    const [, ...parts] = item.split(mark)
    if (parts.length === 0) return []
    const title = /^- (\*\*[^*]+\*\*)/.exec(item)?.[1]
    const step = parts.map((part) => part.trim().replaceAll(/\s*\n\s*/g, ' ')).join(' ')
    return [title === undefined ? `- ${step}` : `- ${title} ${step}`]
  })
  const upgrade =
    steps.length === 0
      ? 'This release needs nothing besides the steps of [Upgrade](docs/upgrade.md).'
      : `Besides the steps of [Upgrade](docs/upgrade.md):\n\n${steps.join('\n')}`
  return `# Tollgate ${version}

Tollgate is an API gateway: it authenticates API keys, routes by version and enforces the limits of plans. On Linux or macOS with Node 20 or newer and npm, in a new folder with \`tollgate-${version}.tgz\` and \`SHA256SUMS\`:

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
npm install ./tollgate-${version}.tgz
npx tollgate start
\`\`\`

On macOS, the first command is \`shasum -a 256\` in place of \`sha256sum\`. npm gets only Node itself from its registry. The files are not signed ([what the checksums prove](docs/install.md#what-the-checksums-prove)). The pages that these notes link to are in the package: \`node_modules/tollgate/docs\`.

## New

${introduction}${news.join('\n')}\n\n## Upgrade\n\n${upgrade}\n`
}
