import { securityEvents } from '../../src/platform/log/security-events.ts'

/** Every security event as Markdown. Ends with a line break. */
export function eventsTable(): string {
  const lines = Object.entries(securityEvents).map(
    ([event, { level, reasons = [], meaning, isChange }]) => {
      const cells = [
        `\`${event}\``,
        level,
        reasons.map((reason) => `\`${reason}\``).join(', '),
        meaning,
        isChange ? 'in the audit log' : 'yes',
      ]
      return `| ${cells.join(' | ')} |`
    },
  )
  return `| \`event\` | Level | \`reason\` | Meaning, and facts besides address, browser and request id | Table |\n|---|---|---|---|---|\n${lines.join('\n')}\n`
}
