import { Argument, type Command } from 'commander'
import { bankChanges } from '../../backend/processes/change-at-bank.ts'
import { behaviourWords } from '../../backend/sandbox/behaviours.ts'
import { sandboxPsus } from '../../backend/sandbox/personas.ts'
import { countSandbox, resetSandbox } from '../../backend/sandbox/reset.ts'
import { withBank } from '../bank-session.ts'
import { ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'
import { changeAtBank, collectAtBank, type SandboxChange } from './sandbox-changes.ts'

export function registerSandbox(program: Command, context: CommandContext): void {
  const { output } = context
  const sandbox = program
    .command('sandbox')
    .description('the people of the sandbox bank, and what happens at its side')

  sandbox
    .command('people')
    .description('who lives in the sandbox, how they behave, and their accounts')
    .option('--json', 'print {"items"}')
    .action(({ json }: JsonOption) => {
      output.result(json, { items: sandboxPsus.map(describePerson) }, drawPeople)
    })

  sandbox
    .command('reset')
    .description('everything the bank keeps as on the first day; developers and keys stay')
    .option('--yes', 'do it; without it, say what would be done')
    .option('--json', 'print {"reset", "deleted"}')
    .action(async ({ yes, json }: JsonOption & { yes?: boolean }) => {
      const settings = context.settings()
      const reset = yes === true
      const deleted = await withBank(settings, ({ database }) =>
        reset
          ? resetSandbox({ database, now: context.now, timeZone: settings.bankTimeZone })
          : countSandbox(database),
      )
      const counts = Object.entries(deleted).map(([what, count]) => `${what} ${count}`)
      output.result(
        json,
        { reset, deleted },
        () => `${reset ? 'deleted' : 'would delete'}: ${counts.join(', ')}`,
      )
      if (!reset) {
        output.note('Nothing was changed. With --yes all of it is deleted, and the sandbox seeded.')
        throw new ReportedError()
      }
      output.note(
        'Every Consent-ID from before has stopped working, that of the demonstration too (docs/sandbox.md shows how to get another).',
      )
    })

  for (const kind of ['consent', 'mandate'] as const) {
    const id = kind === 'consent' ? 'consentId' : 'resourceId'
    const status = `${kind}Status`
    sandbox
      .command(`${kind} <${id}>`)
      .description(`have the bank suspend or resume a ${kind}, or its PSU revoke it`)
      .addArgument(new Argument('<change>', 'what happens').choices(bankChanges))
      .option('--json', `print {"${id}", "${status}"}`)
      .action(async (given: string, change: SandboxChange['change'], { json }: JsonOption) => {
        const after = await changeAtBank(context, { kind, id: given, change })
        const changed = { [id]: given, [status]: after }
        output.result(json, changed, () => drawFields(changed))
      })
  }

  sandbox
    .command('collect <resourceId> <amount>')
    .description('have the creditor present a debit on a mandate, in its currency (250.00)')
    .option('--remittance <text>', 'what the entry says, at most 140 characters')
    .option('--json', 'print the entry and the status of the mandate')
    .action(
      async (
        id: string,
        amount: string,
        { remittance, json }: JsonOption & { remittance?: string },
      ) => {
        const collected = await collectAtBank(context, { id, amount, remittance })
        output.result(json, collected, () => drawFields({ ...collected }))
      },
    )
}

function describePerson(psu: (typeof sandboxPsus)[number]) {
  const { id, alias, name, behaviour, corporateId, accounts, card } = psu
  return {
    psuId: id,
    alias,
    name,
    behaves: behaviourWords[behaviour],
    corporateId: corporateId ?? null,
    accounts: accounts.map(
      ({ id: resourceId, iban, currency, name, cashAccountType, usage, status }) => ({
        resourceId,
        iban,
        currency,
        name,
        cashAccountType,
        usage,
        status,
      }),
    ),
    card: card === undefined ? null : { resourceId: card.id, maskedPan: card.maskedPan },
  }
}

/** A line for each account; who it belongs to stands beside the first. */
function drawPeople(): string {
  return drawTable(
    ['PSU-ID', 'alias', 'name', 'account', 'behaves'],
    sandboxPsus.flatMap(({ id, alias, name, behaviour, accounts, card }) => {
      const [first = '', ...others] = [
        ...accounts.map(
          ({ iban, currency, status }) =>
            `${iban} ${currency}${status === 'enabled' ? '' : ` (${status})`}`,
        ),
        ...(card === undefined ? [] : [`card ${card.maskedPan}`]),
      ]
      return [
        [id, alias, name, first, behaviourWords[behaviour]],
        ...others.map((account) => ['', '', '', account, '']),
      ]
    }),
  )
}
