import { readChangelog } from './changelog.ts'

/** What a release begins with. */
export interface Beginning {
  /** As it was given. */
  readonly version: string
  /** The text of CHANGELOG.md. */
  readonly changelog: string
  /** Names of all tags. */
  readonly tags: readonly string[]
  /** Lines of `git status --porcelain`. */
  readonly changes: readonly string[]
  /** Name of the branch; undefined: the commit would be on none. */
  readonly branch: string | undefined
  /** Names of proofs that must run before. */
  readonly dueProofs: readonly string[]
}

/** A reader of the changelog must see what is new at a glance; the commits have the details. */
const sectionLinesMax = 20

/** Every reason why this version cannot be released now, each with what is allowed; empty: it can. */
export function releaseProblems(beginning: Beginning): readonly string[] {
  const { version, changelog, tags, changes, branch, dueProofs } = beginning
  const problems: string[] = []
  if (branch === undefined) {
    problems.push('HEAD is on no branch; check out the branch that the release belongs to')
  }
  if (changes.length > 0) {
    const shown = changes.slice(0, 5).map((line) => line.trim())
    const rest = changes.length > shown.length ? ` and ${changes.length - shown.length} more` : ''
    problems.push(`the tree has changes (${shown.join(', ')}${rest}); commit or remove them`)
  }
  if (tags.includes(`v${version}`)) {
    problems.push(`the tag v${version} exists; a release never changes, so make the next one`)
  }
  if (dueProofs.length > 0) {
    problems.push(
      `proofs/runs.md has no run that holds for this commit of: ${dueProofs.join(' ')}; run \`npm run prove -- ${dueProofs.join(' ')}\`, and commit what it records`,
    )
  }
  return [...problems, ...versionProblems(version, changelog)]
}

function versionProblems(version: string, changelog: string): string[] {
  const sections = readChangelog(changelog)
  const released = sections.find(({ date }) => date !== undefined)
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`"${version}" is not a version such as 0.2.0`]
  const next = released === undefined ? [version] : nextVersions(released.version)
  if (!next.includes(version)) {
    return [
      `"${version}" is not the next version: after ${released?.version} come ${next.join(', ')}`,
    ]
  }
  const unreleased = sections.filter(({ date }) => date === undefined)
  const section = unreleased.find((each) => each.version === version)
  if (section === undefined) {
    const others = unreleased.map((each) => `"## ${each.version} (unreleased)"`).join(', ')
    return [
      `CHANGELOG.md has no section "## ${version} (unreleased)"${others && `, only ${others}`}; ${others ? 'rename it, or release that version' : 'write what is new'}`,
    ]
  }
  if (section.text === '') {
    return [`the section "## ${version} (unreleased)" of CHANGELOG.md is empty; write what is new`]
  }
  const lines = section.text.split('\n').filter(Boolean).length
  return lines > sectionLinesMax
    ? [
        `the section "## ${version} (unreleased)" of CHANGELOG.md has ${lines} lines; shorten it to ${sectionLinesMax}`,
      ]
    : []
}

/** The versions that may follow: a patch, a minor and a major one. After 0.1.0 come 0.1.1, 0.2.0 and 1.0.0. */
function nextVersions(version: string): readonly string[] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
}
