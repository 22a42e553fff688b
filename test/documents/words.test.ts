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
  [/\bso (?:many|much|long)\b/i, 'a number, "this many", "as long as" or "while"'],
  [/\blikewise\b/i, '"also", "the same"'],
  [/\b(?:and|or|of) such as\b/i, 'the noun'],
  [/\bof (?:it|them)\b/i, 'the noun itself, or "its", "their"'],
  [/\b(?:is|are) (?:told|said)\b/i, 'an active verb with a subject'],
  [/\bin force\b/i, '"active", "current", "applies"'],
  [/\bhurr(?:y|ies|ied)\b/i, 'what is short: a deadline, a timeout'],
  [/\btold of\b/i, '"notified of", "reported to"'],
  [/\bfor want of\b/i, '"without", "because … is missing"'],
  [/\bunless told\b/i, '"by default"'],
  [/\ball the same\b/i, '"still", "anyway"'],
  [/, also (?:when|if|after|while|where)\b/i, '"even when", "including"'],
  [/\bg(?:ive|ives|ave) way\b/i, '"is replaced", "is dropped"'],
  [/\bin portions\b/i, '"in batches"'],
  [/\bnames and values in turn\b/i, '"alternating names and values"'],
  [
    /\/\*\* (?:Of |(?:At|For|From|In|To|Under|With) (?:which|what|whom)\b)/,
    'begin with the noun: "Status of the response"',
  ],
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
const shipped = ['*.md', 'docs/**.md', 'config', 'deploy', 'release', 'bin', 'src']

const texts = /\.(?:md|yaml|ts|tsx|js|lua|html|sql|service|sh|cfg)$|\/en\.json$/

/** Comments and titles; test data may say what it likes. */
const written = /^\s*(?:\*|\/\*\*|\/\/|#|--)|\s\/\/ |t\.test\(|^\s+(['"]).*\1,$/

function phrasesIn(files: readonly string[], isChecked: (line: string) => boolean): string[] {
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        isChecked(line)
          ? banned
              .filter(([phrase]) => phrase.test(line))
              .map(
                ([phrase, instead]) =>
                  `${file}:${index + 1} ${phrase.exec(line)?.[0]}: say ${instead}`,
              )
          : [],
      ),
  )
}

function listed(...paths: readonly string[]): readonly string[] {
  const { stdout } = spawnSync('git', ['ls-files', ...paths], { encoding: 'utf8' })
  return stdout.split('\n').filter((file) => texts.test(file))
}

t.test('shipped texts contain none of the phrases that read as translated', async (t) => {
  const files = listed(...shipped)
  t.ok(files.length > 500, 'the texts were found')
  t.same(
    phrasesIn(files, () => true),
    [],
  )
})

t.test('comments and titles of tests and proofs contain none of them either', async (t) => {
  const files = listed('test', 'proofs').filter((file) => !/fixtures\/|words\.test\.ts$/.test(file))
  t.ok(files.length > 500, 'the sources were found')
  const ofThem = /: say the noun itself/
  t.same(
    phrasesIn(files, (line) => written.test(line)).filter((found) => !ofThem.test(found)),
    [],
  )
})
