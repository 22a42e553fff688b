import { hasSandbox } from '../platform/settings/sandbox.ts'
import { CommandError } from './command-error.ts'
import type { CommandContext } from './context.ts'

/** @throws {CommandError} if the settings of this command do not lead to a sandbox */
export function requireSandbox({ settings }: Pick<CommandContext, 'settings'>): void {
  if (hasSandbox(settings(), new Set(['backend']))) return
  throw new CommandError(
    'this installation has no sandbox: SANDBOX is off, or BACKEND_URL is set without SANDBOX=on',
  )
}
