import { Argument, type Command, Option } from 'commander'
import { bankChanges } from '../../backend/domain/bank-change.ts'
import { behaviourWords } from '../../backend/sandbox/behaviours.ts'
import { describeCustomer } from '../../backend/sandbox/describe-sandbox.ts'
import { sandboxPsus } from '../../backend/sandbox/personas.ts'
import { type Psd2Role, psd2Roles } from '../../certificates/psd2-role.ts'
import { certificateDefects } from '../../portal/stores/sandbox/certificate-defects.ts'
import { UsageError } from '../command-error.ts'
import { confirm } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawFields, drawTable } from '../output.ts'
import { requireSandbox } from '../require-sandbox.ts'
import type { JsonOption } from './options.ts'
import type { SandboxCertificateRequest } from './sandbox-certificate.ts'
import type { SandboxChange } from './sandbox-changes.ts'

export function registerSandbox(command: Command, context: CommandContext): void {
  const { output } = context
  addExamples(command, [
    'tollgate sandbox customers',
    'tollgate sandbox consent 5f0e6a0c-1d0e-4c58-9a3b-6f3f2a1b7c11 suspend',
    'tollgate sandbox reset --yes',
  ])
    .description('Show the customers of the sandbox bank, and act as the bank or its customers.')
    .hook('preAction', () => requireSandbox(context))

  addExamples(command.command('customers'), ['tollgate sandbox customers'])
    .description("List the bank's customers, their accounts and how each behaves.")
    .option('--json', 'print {"items"}')
    .action(({ json }: JsonOption) => {
      output.result(json, { items: sandboxPsus.map(describeCustomer) }, drawCustomers)
    })

  addExamples(command.command('reset'), ['tollgate sandbox reset', 'tollgate sandbox reset --yes'])
    .description(
      'Reset the bank to its first day: delete all consents, payments and mandates. Developers, applications and keys stay.',
    )
    .option('--yes', 'reset without asking; required where no terminal can answer')
    .option('--json', 'print {"reset", "deleted"}')
    .action(async ({ yes, json }: JsonOption & { yes?: boolean }) => {
      const settings = context.settings()
      const [{ withBank }, { countSandbox, resetSandbox }] = await Promise.all([
        import('../bank-session.ts'),
        import('../../backend/sandbox/reset.ts'),
      ])
      if (yes !== true) {
        const found = await withBank(settings, ({ database }) => countSandbox(database))
        if (json === true || !context.isTerminal) {
          const result = { reset: false, deleted: found }
          output.result(json, result, () => `would delete: ${listed(found)}`)
          throw new UsageError('nothing was changed; add --yes to reset the bank')
        }
        await confirm(context, `This deletes: ${listed(found)}.`)
      }
      const deleted = await withBank(settings, ({ database }) =>
        resetSandbox({ database, now: context.now, timeZone: settings.bankTimeZone }),
      )
      output.result(json, { reset: true, deleted }, () => `deleted: ${listed(deleted)}`)
      output.note(
        'Earlier Consent-IDs no longer work, including the one from the first start. `tollgate onboard --consent` creates a new one.',
      )
    })

  addExamples(command.command('certificate'), [
    'tollgate sandbox certificate --application "Budget app"',
    'tollgate sandbox certificate --application "Budget app" --role PSP_AI PSP_PI --out certificates',
    'tollgate sandbox certificate --application "Budget app" --defect revoked',
  ])
    .description(
      'Create a QWAC and a QSealC, valid for 90 days, with their keys, and add both to the application. With --defect, create ones that the gateway refuses, and do not add them.',
    )
    .requiredOption('--application <application>', 'its name or id')
    .addOption(
      new Option('--role <role...>', 'PSD2 roles (default: PSP_AI and PSP_PI)').choices(psd2Roles),
    )
    .addOption(
      new Option('--defect <defect>', 'what is wrong with the certificates').choices(
        certificateDefects,
      ),
    )
    .option('--out <folder>', 'folder for the files', '.')
    .option('--json', 'print {"qwac", "qseal", "authority"} as PEM and write no files')
    .action(
      async ({
        role = ['PSP_PI', 'PSP_AI'],
        ...request
      }: Omit<SandboxCertificateRequest, 'roles'> & { role?: readonly Psd2Role[] }) => {
        const { makeSandboxCertificates } = await import('./sandbox-certificate.ts')
        await makeSandboxCertificates(context, { ...request, roles: role })
      },
    )

  for (const kind of ['consent', 'mandate'] as const) {
    const id = kind === 'consent' ? 'consentId' : 'resourceId'
    const status = `${kind}Status`
    addExamples(command.command(`${kind} <${id}>`), [
      `tollgate sandbox ${kind} 5f0e6a0c-1d0e-4c58-9a3b-6f3f2a1b7c11 suspend`,
    ])
      .description(`Suspend or resume a ${kind} as the bank, or revoke it as the customer.`)
      .addArgument(new Argument('<change>', 'what to do').choices(bankChanges))
      .option('--json', `print {"${id}", "${status}"}`)
      .action(async (given: string, change: SandboxChange['change'], { json }: JsonOption) => {
        const { changeAtBank } = await import('./sandbox-changes.ts')
        const after = await changeAtBank(context, { kind, id: given, change })
        const changed = { [id]: given, [status]: after }
        output.result(json, changed, () => drawFields(changed))
      })
  }

  addExamples(command.command('collect <resourceId> <amount>'), [
    'tollgate sandbox collect 5f0e6a0c-1d0e-4c58-9a3b-6f3f2a1b7c11 250.00 --remittance "Invoice 17"',
  ])
    .description("Present a debit on a mandate as the creditor, in the mandate's currency.")
    .option('--remittance <text>', 'text of the booked entry, at most 140 characters')
    .option('--json', 'print the entry and the status of the mandate')
    .action(
      async (
        id: string,
        amount: string,
        { remittance, json }: JsonOption & { remittance?: string },
      ) => {
        const { collectAtBank } = await import('./sandbox-changes.ts')
        const collected = await collectAtBank(context, { id, amount, remittance })
        output.result(json, collected, () => drawFields({ ...collected }))
      },
    )
}

/** `consents 3, payments 0, mandates 1`. */
function listed(counts: object): string {
  return Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')
}

/** One line per account; the customer is next to the first. */
function drawCustomers(): string {
  const rows = sandboxPsus.flatMap(({ id, alias, name, behaviour, accounts, card }) => {
    const [first = '', ...others] = [
      ...accounts.map(
        ({ iban, currency, status }) =>
          `${iban} ${currency}${status === 'enabled' ? '' : ` (${status === 'deleted' ? 'closed' : status})`}`,
      ),
      ...(card === undefined ? [] : [`card ${card.maskedPan}`]),
    ]
    return [
      { id, alias, name, account: first, behaves: behaviourWords(behaviour) },
      ...others.map((account) => ({ id: '', alias: '', name: '', account, behaves: '' })),
    ]
  })
  return drawTable(rows, {
    'PSU-ID': 'id',
    alias: 'alias',
    name: 'name',
    account: 'account',
    behaves: 'behaves',
  })
}
