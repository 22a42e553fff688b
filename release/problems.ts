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
}

/** Every reason why this version cannot be released now, each with what is allowed; empty: it can. */
export function releaseProblems(beginning: Beginning): readonly string[] {
  const { version, changelog, tags, changes, branch } = beginning
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
  return [...problems, ...versionProblems(version, changelog)]
}

function versionProblems(version: string, changelog: string): string[] {
  const sections = readChangelog(changelog)
  const released = sections.find(({ date }) => date !== undefined)
  const next = nextVersions(released?.version ?? '0.0.0')
  const allowed = next.join(', ')
  if (!next.includes(version)) {
    return [
      `"${version}" is not the next version: after ${released?.version ?? 'no release'} come ${allowed}`,
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
  return section.text === ''
    ? [`the section "## ${version} (unreleased)" of CHANGELOG.md is empty; write what is new`]
    : []
}

/** The versions that may follow: a patch, a minor and a major one. After 0.1.0 come 0.1.1, 0.2.0 and 1.0.0. */
function nextVersions(version: string): readonly string[] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
}
