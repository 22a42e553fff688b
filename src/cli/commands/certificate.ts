import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { type CertificateUse, certificateUses } from '../../certificates/certificate.ts'
import type { Stores } from '../../portal/stores/stores.ts'
import { certificateState } from '../../registry/certificates/certificate-state.ts'
import type {
  ApplicationCertificate,
  CertificateNamed,
} from '../../registry/certificates/certificates.ts'
import { RegistryNotFound } from '../../registry/registry-errors.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication, findId } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'

interface AddOptions extends JsonOption {
  readonly application: string
  readonly use: CertificateUse
  readonly name: string
}

export function registerCertificate(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate certificate list --application "Budget app"',
    'tollgate certificate add qwac.pem --application "Budget app" --use tls --name 2027',
    'tollgate certificate block qwac.pem --reason "Licence withdrawn"',
  ]).description(
    'Manage the certificates of applications: for TLS connections (QWAC) and for signing requests (QSealC). An application may have two valid ones for each use.',
  )

  const withState = (item: ApplicationCertificate) => ({
    ...item,
    state: certificateState(item, context.now()),
  })

  function show(json: boolean | undefined, item: ApplicationCertificate): void {
    const shown = withState(item)
    output.result(json, shown, () => drawFields({ ...shown, roles: item.roles.join(' ') }))
  }

  addExamples(command.command('list'), ['tollgate certificate list --application "Budget app"'])
    .description('List the certificates of an application, oldest first.')
    .requiredOption('--application <application>', 'its name or id')
    .option('--json', 'print {"items"}')
    .action(async ({ application, json }: JsonOption & { application: string }) => {
      const items = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        return stores.certificates.list({ applicationId })
      })
      output.result(json, { items: items.map(withState) }, () =>
        drawTable(items.map(withState), {
          id: 'id',
          use: 'use',
          name: 'name',
          state: 'state',
          roles: ({ roles }) => roles.join(' '),
          number: 'authorisationNumber',
          until: 'validUntil',
          'last used': 'lastUsedAt',
        }),
      )
    })

  addExamples(command.command('show <certificate>'), ['tollgate certificate show 3f2a'])
    .description(
      'Show what is stored about a certificate, by its id or the first characters of the id.',
    )
    .option('--json', 'print the certificate')
    .action(async (reference: string, { json }: JsonOption) => {
      show(json, await context.registry((stores) => find(stores, reference)))
    })

  addExamples(command.command('add <file>'), [
    'tollgate certificate add qwac.pem --application "Budget app" --use tls --name 2027',
  ])
    .description('Add the certificate in a file (PEM or DER) to an application.')
    .requiredOption('--application <application>', 'its name or id')
    .addOption(
      new Option('--use <use>', 'tls: it connects with it; signing: it signs requests with it')
        .choices(certificateUses)
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'what its developer calls it')
    .option('--json', 'print the certificate')
    .action(async (file: string, { application, use, name, json }: AddOptions) => {
      const certificate = await readSource(file)
      const added = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        return stores.certificates.add({ applicationId, use, name, certificate, by })
      })
      show(json, added)
    })

  addExamples(command.command('remove <certificate>'), ['tollgate certificate remove 3f2a'])
    .description(
      'Remove a certificate from its application. Every gateway refuses it within a second.',
    )
    .option('--json', 'print {"id"}')
    .action(async (reference: string, { json }: JsonOption) => {
      const { id } = await context.registry(async (stores) => {
        const found = await find(stores, reference)
        await stores.certificates.remove({ id: found.id, by })
        return found
      })
      output.result(json, { id }, () => `removed certificate ${id}`)
    })

  addExamples(command.command('block <certificate>'), [
    'tollgate certificate block 3f2a --reason "Licence withdrawn"',
    'tollgate certificate block qwac.pem --reason "Reported as stolen"',
  ])
    .description(
      'Refuse a certificate in all applications: by its id, its thumbprint or its file. Every gateway refuses it within a second.',
    )
    .requiredOption('--reason <text>', 'for the audit log')
    .option('--json', 'print {"thumbprint", "blocked"}')
    .action(async (reference: string, { reason, json }: JsonOption & { reason: string }) => {
      const { thumbprint } = await context.registry(async (stores) => {
        const named = await nameOf(stores, reference)
        await stores.certificates.block({ ...named, reason, by })
        return named
      })
      output.result(json, { thumbprint, blocked: true }, () => `blocked ${thumbprint}`)
    })

  addExamples(command.command('unblock <certificate>'), ['tollgate certificate unblock 3f2a'])
    .description('Accept a blocked certificate again.')
    .option('--json', 'print {"thumbprint", "blocked"}')
    .action(async (reference: string, { json }: JsonOption) => {
      const { thumbprint } = await context.registry(async (stores) => {
        const named = await nameOf(stores, reference)
        await stores.certificates.unblock({ ...named, by })
        return named
      })
      output.result(json, { thumbprint, blocked: false }, () => `unblocked ${thumbprint}`)
    })

  addExamples(command.command('blocked'), ['tollgate certificate blocked'])
    .description('List the blocked certificates, oldest first.')
    .option('--json', 'print {"items"}')
    .action(async ({ json }: JsonOption) => {
      const items = await context.registry((stores) => stores.certificates.blocked())
      output.result(json, { items }, () =>
        drawTable(items, { thumbprint: 'thumbprint', reason: 'reason', since: 'blockedAt' }),
      )
    })
}

/** @throws {RegistryNotFound} */
async function find(stores: Stores, reference: string): Promise<ApplicationCertificate> {
  const id = await findId(stores, 'certificate', reference)
  const found = await stores.certificates.find(id)
  if (found === undefined) throw new RegistryNotFound('certificate', id)
  return found
}

/** Names a certificate by its thumbprint, its id or its file. */
async function nameOf(stores: Stores, reference: string): Promise<CertificateNamed> {
  if (/^[A-Za-z0-9_-]{43}$/.test(reference)) return { thumbprint: reference }
  if (/^[0-9a-f-]{4,36}$/.test(reference)) {
    const { thumbprint } = await find(stores, reference)
    return { thumbprint }
  }
  const source = await readSource(reference)
  const { CertificateUnreadable, readCertificate } = await import(
    '../../certificates/certificate.ts'
  )
  try {
    const { thumbprint, signedDigest } = readCertificate(source)
    return { thumbprint, signedDigest }
  } catch (error) {
    if (!(error instanceof CertificateUnreadable)) throw error
    throw new CommandError(`${reference} ${error.message}`)
  }
}

async function readSource(file: string): Promise<Buffer> {
  try {
    const source = await readFile(file)
    // PEM files end with a line break, and editors add others.
    return source.toString('latin1').startsWith('-----')
      ? Buffer.from(source.toString().trim())
      : source
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`cannot read ${file}: ${code}`)
  }
}
