import type { Command } from 'commander'
import { settingWarnings } from '../../platform/settings/setting-warnings.ts'
import { settingsInForce } from '../../platform/settings/settings-in-force.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'

interface SettingsOptions extends JsonOption {
  readonly all?: true
}

export function registerSettings(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate settings',
    'env $(cat /etc/tollgate/gateway.env) tollgate settings',
    'tollgate settings --all --json',
  ])
    .description(
      'Show the settings of a process with this environment: those that are set, or all with their defaults. Secrets and passwords stay hidden. Warns about variables that look like a setting but have no effect.',
    )
    .option('--all', 'the defaults, too')
    .option('--json', 'print {"settings","warnings"}')
    .action(({ all, json }: SettingsOptions) => {
      const { env, output } = context
      const found = settingsInForce(context.settings(), env)
      const settings = all === true ? found : found.filter(({ setBy }) => setBy.length > 0)
      const warnings = settingWarnings(env)
      output.result(json, { settings, warnings }, () =>
        drawTable(settings, {
          Setting: ({ names, setBy }) => (setBy.length > 0 ? setBy : names.slice(0, 2)).join(', '),
          Value: 'value',
          Group: 'group',
          ...(all === true ? { Default: ({ setBy }) => (setBy.length > 0 ? 'no' : 'yes') } : {}),
        }),
      )
      if (settings.length === 0) output.note('No setting is set. --all shows the defaults.')
      if (json !== true) for (const warning of warnings) output.note(`Warning: ${warning}`)
    })
}
