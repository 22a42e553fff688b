import { settingGroups } from '../../src/platform/settings/settings.ts'

/** Every setting as Markdown: a heading and a table for each group. Ends with a line break. */
export function settingsTable(): string {
  return settingGroups
    .map(({ title, rows }) => {
      const lines = Object.values(rows).map(({ names, fallback, meaning }) => {
        const cells = [names.map((name) => `\`${name}\``).join(', '), fallback, meaning]
        return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
      })
      return `### ${title}\n\n| Name | Default | Meaning |\n|---|---|---|\n${lines.join('\n')}\n`
    })
    .join('\n')
}
