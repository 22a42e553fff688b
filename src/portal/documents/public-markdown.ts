import type { Change, VersionDiff } from '../../catalogue/diff.ts'
import type { Words } from '../../messages/format.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'
import { wordsOfError } from '../api/error-words.ts'
import type { Sandbox } from '../api/schemas/sandbox.ts'
import type { ProblemSample } from './problem-sample.ts'

/** Writes the page of an error as Markdown. */
export function problemMarkdown(
  code: ErrorCode,
  { head, body }: ProblemSample,
  language: Language,
): string {
  const { status, title, help } = wordsOfError(code, language)
  const { t } = wordsOf(language)
  return `# ${code}\n\n**${status}** · **${title}.** ${help}\n\n## ${t('problemPage.sample')}\n\n\`\`\`http\n${head}\n\n${body}\n\`\`\`\n`
}

/** Writes what differs between two versions of an API as Markdown. */
export function diffMarkdown(diff: VersionDiff, language: Language): string {
  const { t } = wordsOf(language)
  const { api, from, to, removed, added, changed } = diff
  const named = ({ id, method, template }: VersionDiff['added'][number]) =>
    `\`${method} ${template}\` (\`${id}\`)`
  const section = (title: string, rows: readonly string[]) =>
    rows.length === 0 ? [] : [`## ${title}\n\n${rows.join('\n')}`]
  const changes = changed.map((operation) => {
    const rows = operation.changes.map((change) => {
      const note = change.isBreaking ? ` (${t('diff.mayBreak')})` : ''
      return `- ${changeInWords(change, t)}${note}`
    })
    return `### ${named(operation)}\n\n${rows.join('\n')}\n`
  })
  const sections = [
    ...section(
      t('diff.removedIn', { version: to }),
      removed.map((operation) => `- ${named(operation)}`),
    ),
    ...section(
      t('diff.newIn', { version: to }),
      added.map((operation) => `- ${named(operation)}`),
    ),
    ...section(t('diff.changed'), changes),
  ]
  const body = sections.length === 0 ? [t('diff.none')] : sections
  return `${[`# ${t('diff.titleOf', { title: `${api} ${from} – ${to}` })}`, ...body].join('\n\n').trimEnd()}\n`
}

function changeInWords({ part, path, verb, values }: Change, t: Words['t']): string {
  const { kind, status = '', name = '' } = part
  const isCode = verb !== 'alternatives'
  return [
    t(`diff.part.${kind}`, { status, name: `\`${name}\`` }),
    ...(path === '' ? [] : [`\`${path}\``]),
    t(
      `diff.verb.${verb}`,
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, isCode ? `\`${value}\`` : value]),
      ),
    ),
  ].join(' ')
}

/** Writes the customers of the sandbox as Markdown. */
export function sandboxMarkdown({ customers, secrets }: Sandbox, language: Language): string {
  const { t } = wordsOf(language)
  const isHebrew = language === 'he'
  const rows = customers.map(({ psuId, accounts, ...person }) => {
    const name = isHebrew ? person.nameInHebrew : person.name
    const behaves = isHebrew ? person.behavesInHebrew : person.behaves
    const ibans = accounts.map(({ iban }) => ` \`${iban}\``)
    return `- **${name}** (\`${psuId}\`): ${behaves}${ibans.length === 0 ? '' : ` ·${ibans.join(',')}`}`
  })
  return `# ${t('sandbox.title')}\n\n${t('sandbox.password')}: \`${secrets.password}\`\n\n## ${t('sandbox.people')}\n\n${rows.join('\n')}\n`
}
