import { createPublicKey, type KeyObject } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Command, InvalidArgumentError } from 'commander'
import { isForbidden } from '../../platform/database/database.ts'
import type { AuditFault, ChainVerdict, ExpectedLink } from '../../registry/audit/chain-check.ts'
import { ExportStartMissing, verifyExport } from '../../registry/audit/export-audit.ts'
import { AuditBusy, AuditFaulty } from '../../registry/audit/prune-audit.ts'
import { AuditBroken } from '../../registry/audit/sealer.ts'
import { type AuditKeys, idOfAuditKey } from '../../registry/audit/signer.ts'
import type { AuditReport } from '../../registry/audit/verify-audit.ts'
import { CommandError, ReportedError, UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawFields, drawTable } from '../output.ts'
import { type JsonOption, parseWhole } from './options.ts'

interface VerifyOptions extends JsonOption {
  readonly expect?: ExpectedLink
  readonly file?: string
  readonly key?: string
}

interface ExportOptions {
  readonly after?: number
  readonly personal?: boolean
}

interface PruneOptions extends JsonOption {
  readonly keep: number
}

/** Faults that a person is shown; --json has all. */
const shownMax = 20

export function registerAudit(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, ['tollgate audit verify', 'tollgate audit export > audit.jsonl'])

  addExamples(command.command('verify'), [
    'tollgate audit verify',
    'tollgate audit verify --expect 1204:9f2c…',
    'tollgate audit verify --file audit.jsonl --key audit-key.pem',
  ])
    .description(
      'Compare every entry of the audit log with the chain of hashes and its signatures. List entries that were changed, removed or moved, and exit with code 1 if there are any.',
    )
    .option(
      '--expect <position[:hash]>',
      'a link that the chain must still have: from a log line, an export or an earlier verification; its position alone also from the metric gateway_audit_position',
      parseExpected,
    )
    .option('--file <path>', 'verify an export instead of the database; needs --key')
    .option('--key <path>', 'public key (PEM) for --file, from `tollgate audit key`')
    .option('--json', 'print the report')
    .action(async ({ expect: expected, file, key, json }: VerifyOptions) => {
      const report =
        file === undefined
          ? await context.registry(async ({ auditChain }) => {
              // A broken end is a finding, which the verification names.
              await auditChain.seal().catch(allowBroken)
              return auditChain.verify({ expected })
            })
          : await verifyExport({ lines: linesOf(file), keys: keysOf(key), expected })
      output.result(json, reportAnswer(report), () => drawReport(report))
      if (report.faults.length > 0) throw new ReportedError('the audit log has faults')
    })

  addExamples(command.command('export'), [
    'tollgate audit export > audit.jsonl',
    'tollgate audit export --after 1204 --personal >> archive.jsonl',
  ])
    .description(
      'Print the audit log with its chain as JSON lines, oldest first. `tollgate audit verify --file` verifies such a file without the database.',
    )
    .option('--after <position>', 'begin after this link', (text) =>
      parseWhole(text, 0, 9_999_999_999),
    )
    .option('--personal', 'include client addresses and browsers, which are personal data')
    .action(({ after, personal: withPersonal = false }: ExportOptions) =>
      context.registry(async ({ auditChain }) => {
        await auditChain.seal().catch(allowBroken)
        try {
          for await (const line of auditChain.export({ after, withPersonal })) output.line(line)
        } catch (error) {
          if (error instanceof ExportStartMissing) throw new CommandError(error.message)
          throw error
        }
      }),
    )

  addExamples(command.command('prune'), ['tollgate audit prune --keep 400'])
    .description(
      'Remove the oldest entries and leave a signed checkpoint. Verify the audit log first, and remove nothing if it has faults. On PostgreSQL, this needs the role that owns the tables.',
    )
    .requiredOption('--keep <days>', 'keep the entries of this many days', (text) =>
      parseWhole(text, 1, 36_500),
    )
    .option('--json', 'print {"removed","position","hash"}')
    .action(async ({ keep, json }: PruneOptions) => {
      const before = new Date(context.now() - keep * 86_400_000)
      const checkpoint = await context.registry(async ({ auditChain }) => {
        try {
          await auditChain.seal()
          const made = await auditChain.prune({ before, by })
          await auditChain.seal()
          return made
        } catch (error) {
          throw pruneError(error)
        }
      })
      const answer = {
        removed: checkpoint?.entries ?? 0,
        position: checkpoint?.position ?? null,
        hash: checkpoint?.hash.toString('hex') ?? null,
      }
      output.result(json, answer, () =>
        checkpoint === undefined
          ? `No entry is older than ${keep} days.`
          : `Removed ${checkpoint.entries} entries, up to position ${checkpoint.position}.`,
      )
    })

  addExamples(command.command('resume'), ['tollgate audit resume --reason "backup restored"'])
    .description(
      'Continue a chain that Tollgate no longer seals. First find out why, for example a restored backup or a lost pepper. The audit log keeps the reason.',
    )
    .requiredOption('--reason <text>', 'for the audit log')
    .option('--json', 'print {"position","hash"}')
    .action(async ({ reason, json }: JsonOption & { reason: string }) => {
      const { end } = await context.registry(async ({ auditChain }) => {
        await auditChain.resume({ by, reason })
        return auditChain.verify()
      })
      const answer = { position: end.position, hash: end.hash.toString('hex') }
      output.result(
        json,
        answer,
        () =>
          `The chain continues at position ${end.position}. Restart the processes that reported audit.broken.`,
      )
    })

  addExamples(command.command('key'), ['tollgate audit key > audit-key.pem'])
    .description('Print the public key with which auditors verify the signatures.')
    .option('--json', 'print {"id","publicKey"}')
    .action(async ({ json }: JsonOption) => {
      const keys = await context.registry(async ({ auditChain }) => auditChain.keys)
      const [[id, key] = []] = keys
      if (id === undefined || key === undefined) throw new CommandError('there is no pepper')
      const publicKey = key.export({ type: 'spki', format: 'pem' }).toString().trim()
      output.result(json, { id, publicKey }, () => publicKey)
    })

  addExamples(command.command('staff'), ['tollgate audit staff'])
    .description(
      'List the people behind the staff ids in the audit log, including those whose accounts were deleted.',
    )
    .option('--json', 'print {"items"}')
    .action(async ({ json }: JsonOption) => {
      const items = await context.registry(({ staff }) => staff.list())
      output.result(json, { items }, () =>
        drawTable(items, {
          'staff id': 'id',
          email: 'email',
          name: 'name',
          since: 'addedAt',
          operator: 'isOperator',
          'account deleted': 'isGone',
        }),
      )
    })
}

function allowBroken(error: unknown): void {
  if (!(error instanceof AuditBroken)) throw error
}

function pruneError(error: unknown): unknown {
  if (error instanceof AuditFaulty || error instanceof AuditBusy || error instanceof AuditBroken) {
    return new CommandError(error.message)
  }
  if (!isForbidden(error)) return error
  return new CommandError(
    'the role of DATABASE_URL may not remove entries of the audit log; use the role that owns the tables',
    { cause: error },
  )
}

/** @throws {InvalidArgumentError} */
function parseExpected(text: string): ExpectedLink {
  const [, position, hash] = /^(\d{1,15})(?::([0-9a-f]{64}))?$/.exec(text) ?? []
  if (position === undefined) {
    throw new InvalidArgumentError(
      'It must be a position, better with its hash: 1204:<64 hexadecimal digits>.',
    )
  }
  return {
    position: Number(position),
    hash: hash === undefined ? undefined : Buffer.from(hash, 'hex'),
  }
}

/** @throws {UsageError} | {CommandError} */
function keysOf(path: string | undefined): AuditKeys {
  if (path === undefined)
    throw new UsageError('--file needs --key, the public key of the audit log')
  let key: KeyObject
  try {
    key = createPublicKey(readFileSync(path))
  } catch (cause) {
    throw new CommandError(`cannot read a public key from "${path}"`, { cause })
  }
  return new Map([[idOfAuditKey(key), key]])
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
}

function reportAnswer(report: ChainVerdict | AuditReport) {
  const { end, ...facts } = report
  return { ...facts, position: end.position, hash: end.hash.toString('hex') }
}

function drawReport(report: ChainVerdict | AuditReport): string {
  const { links, end, signedTo, faults } = report
  const fields = drawFields({
    'entries verified': links,
    'last position': end.position,
    'last hash': end.hash.toString('hex'),
    'signed up to': signedTo,
    ...('removedTo' in report
      ? { 'removed by retention up to': report.removedTo, 'not sealed yet': report.waiting }
      : {}),
    faults: faults.length,
  })
  if (faults.length === 0) return `${fields}\nThe audit log is complete and unchanged.`
  const rest = faults.length - shownMax
  const shown = drawTable(faults.slice(0, shownMax), {
    fault: ({ kind }) => faultWords[kind],
    position: ({ position, toPosition }) =>
      toPosition === undefined ? position : `${position} to ${toPosition}`,
    'entry id': 'entryId',
  })
  return `${fields}\n${shown}${rest > 0 ? `\n… and ${rest} more (--json has all)` : ''}`
}

const faultWords: Readonly<Record<AuditFault['kind'], string>> = {
  changed: 'the entry, its position or the link before it was changed',
  'missing-entry': 'the entry was removed',
  'missing-link': 'the link was removed',
  unlinked: 'the entry has no link: it was added outside Tollgate, or its link was removed',
  'lost-while-waiting': 'the entry was removed before it was sealed',
  'personal-changed': 'the address or browser was changed',
  'signature-invalid': 'the signature is wrong',
  'unsigned-end': 'the end of the chain has no signature',
  'unknown-signer': 'another key made the newest signature',
  'checkpoint-invalid': 'the checkpoint is not genuine',
  'not-as-expected': 'the chain does not have the expected link',
}
