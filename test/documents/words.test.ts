import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'

/** Phrases that read as translated, with what a native editor would write. */
const banned: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:whoever|nobody|somebody|anybody|everybody)\b/i,
    'name the role: client, caller, operator, developer, process',
  ],
  [/\bthose who\b/i, 'name the role'],
  [/\b(?:is|are|was|were) none\b/i, '"is not one", "does not exist"'],
  [/\bso (?:many|long)\b/i, 'a number, "as long as" or "while"'],
  [/\blikewise\b/i, '"also", "the same"'],
  [/\b(?:and|or|of) such as\b/i, 'the noun'],
  [/\bof (?:it|them)\b/i, 'the noun itself, or "its", "their"'],
  [/\b(?:is|are) (?:told|said)\b/i, 'an active verb with a subject'],
  [/\bin force\b/i, '"active", "current", "applies"'],
  [/\bfor want of\b/i, '"without", "because … is missing"'],
  [/\bno more(?=[.;,)])/i, '"no longer", or a number'],
  [
    /(?:\/\*\*|^\s*\*|\/\/) +(?:Who|Whose|Whom)\b/,
    'name the role: client, operator, developer, actor',
  ],
  [
    /\b(?:process(?:es)?|gateways?|banks?|portals?|servers?|feed|redis|postgresql|tollgate) (?:tells?|told|hears?|heard|forgets?|forgot)\b/i,
    'a verb for programs: report, send, receive, drop',
  ],
]

/** Everything people read about Tollgate: pages, published documents, texts and docstrings of the sources. */
const shipped = ['*.md', 'docs/**.md', 'config', 'deploy', 'bin', 'src']

t.test('shipped texts contain none of the phrases that read as translated', async (t) => {
  const listed = spawnSync('git', ['ls-files', ...shipped], { encoding: 'utf8' })
  const files = listed.stdout
    .split('\n')
    .filter((file) => /\.(?:md|yaml|ts|tsx|js|lua|html)$|\/en\.json$/.test(file))
  t.ok(files.length > 500, 'the texts were found')
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        banned
          .filter(([phrase]) => phrase.test(line))
          .map(
            ([phrase, instead]) => `${file}:${index + 1} ${phrase.exec(line)?.[0]}: say ${instead}`,
          ),
      ),
  )
  t.same(found, [])
})
