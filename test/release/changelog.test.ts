import { readFileSync } from 'node:fs'
import t from 'tap'
import { dateSection, readChangelog, releaseNotes } from '../../release/changelog.ts'
import { type Beginning, releaseProblems } from '../../release/problems.ts'

const changelog = `# Changelog

## 0.3.0 (unreleased)

- **One:** new. **To upgrade:** run one
  thing.
- **Two:** newer.

## 0.2.1 (2026-12-01)

- **Old:** old.
`

const ready: Beginning = {
  version: '0.3.0',
  changelog,
  tags: ['v0.2.0', 'v0.2.1'],
  changes: [],
  branch: 'main',
  dueProofs: [],
}

t.test(
  'a clean tree, the next version and its section in the changelog can be released',
  async (t) => {
    t.same(releaseProblems(ready), [])
  },
)

t.test('what prevents a release is named, with what is allowed', async (t) => {
  const withHeading = (heading: string): string =>
    changelog.replace('## 0.3.0 (unreleased)', heading)
  for (const [change, problem] of [
    [
      { changes: [' M src/main.ts'] },
      'the tree has changes (M src/main.ts); commit or remove them',
    ],
    [{ branch: undefined }, /^HEAD is on no branch/],
    [{ tags: ['v0.3.0'] }, /^the tag v0\.3\.0 exists/],
    [{ version: '0.4.0' }, '"0.4.0" is not the next version: after 0.2.1 come 0.2.2, 0.3.0, 1.0.0'],
    [{ version: '0.1.5' }, /is not the next version/],
    [{ version: 'v0.3.0' }, '"v0.3.0" is not a version such as 0.2.0'],
    [
      { dueProofs: ['faults', 'stop'] },
      /^proofs\/runs\.md has no run that holds for this commit of: faults stop; run `npm run prove -- faults stop`/,
    ],
    [
      { changelog: `## 0.3.0 (unreleased)\n\n${'- **One:** new.\n'.repeat(21)}` },
      'the section "## 0.3.0 (unreleased)" of CHANGELOG.md has 21 lines; shorten it to 20',
    ],
    [
      { changelog: withHeading('## 1.0.0 (unreleased)') },
      'CHANGELOG.md has no section "## 0.3.0 (unreleased)", only "## 1.0.0 (unreleased)"; rename it, or release that version',
    ],
    [
      { changelog: withHeading('## Later') },
      'CHANGELOG.md has no section "## 0.3.0 (unreleased)"; write what is new',
    ],
    [
      { changelog: '## 0.3.0 (unreleased)\n\n## 0.2.1 (2026-12-01)\n' },
      'the section "## 0.3.0 (unreleased)" of CHANGELOG.md is empty; write what is new',
    ],
  ] as const) {
    const problems = releaseProblems({ ...ready, ...change })
    t.equal(problems.length, 1, JSON.stringify(problems))
    t.match(problems[0], problem)
  }
  const both = releaseProblems({ ...ready, changes: ['?? a'], tags: ['v0.3.0'] })
  t.equal(both.length, 2, 'all at once')
})

t.test('a release dates its own section and no other', async (t) => {
  const dated = readChangelog(dateSection(changelog, '0.3.0', '2027-01-02'))
  t.same(
    dated.map(({ version, date }) => [version, date]),
    [
      ['0.3.0', '2027-01-02'],
      ['0.2.1', '2026-12-01'],
    ],
  )
})

t.test('the notes say what is new, and apart from it what to do', async (t) => {
  const [section] = readChangelog(changelog)
  const notes = releaseNotes({ version: '0.3.0', text: section?.text ?? '' })
  const [news = '', upgrade = ''] = notes.split('## Upgrade')
  t.match(news, '- **One:** new.\n- **Two:** newer.\n')
  t.match(upgrade, '- **One:** run one thing.\n')
  t.notMatch(upgrade, 'Two')
  t.match(
    releaseNotes({ version: '1.0.0', text: '- **A:** b.' }),
    /needs nothing besides the steps/,
  )
})

t.test('the notes of our own changelog lose no step', async (t) => {
  const sections = readChangelog(readFileSync('CHANGELOG.md', 'utf8'))
  t.ok(sections.length >= 1)
  for (const { version, text } of sections) {
    const [, upgrade = ''] = releaseNotes({ version, text }).split('## Upgrade')
    const steps = text.split('**To upgrade:**').slice(1)
    for (const step of steps) {
      const [first = ''] = step.trim().split('\n')
      t.ok(upgrade.includes(first), `${version}: ${first}`)
    }
  }
})
