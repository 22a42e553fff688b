import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Psd2Role } from '../../certificates/psd2-role.ts'
import { crlPath } from '../../portal/pages/page-paths.ts'
import type { CertificateDefect } from '../../portal/stores/sandbox/certificate-defects.ts'
import { makeSandboxPair, type SandboxPair } from '../../portal/stores/sandbox/sandbox-pair.ts'
import { findAddresses } from '../addresses.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { findApplication } from '../find.ts'
import type { JsonOption } from './options.ts'

export interface SandboxCertificateRequest extends JsonOption {
  readonly application: string
  readonly roles: readonly Psd2Role[]
  readonly defect?: CertificateDefect
  /** Folder of the files. */
  readonly out: string
}

/**
 * Makes test certificates and writes them to files that were not there before;
 * only the owner may read the keys.
 *
 * @throws {CommandError} when a file exists or cannot be written
 */
export async function makeSandboxCertificates(
  { settings, registry, output, actor: by, now }: CommandContext,
  { application: reference, roles, defect, out, json }: SandboxCertificateRequest,
): Promise<void> {
  // Before anything is made: the keys of what is made are nowhere else.
  const existing = json === true ? undefined : files.find((name) => existsSync(join(out, name)))
  if (existing !== undefined) throw exists(join(out, existing))
  if (json !== true) await makeFolder(out)
  const { portal = 'http://localhost:8081' } = await findAddresses(settings())
  const pair = await registry(async (stores) => {
    const application = await findApplication(stores, reference)
    const crlUrl = `${portal}${crlPath}`
    return makeSandboxPair({ stores, application, roles, defect, crlUrl, by, now })
  })
  const written = json === true ? [] : await writePair(out, pair)
  output.result(json, pair, () => written.join('\n'))
  if (json === true) return
  output.note(
    pair.isAdded
      ? 'Both certificates are added to the application. Only these files contain their keys.'
      : `The certificates are not added to the application: calls with them fail (${defect}).`,
  )
}

const files = ['qwac.pem', 'qwac.key', 'qseal.pem', 'qseal.key', 'authority.pem'] as const

function exists(path: string): CommandError {
  return new CommandError(`${path} already exists; choose another folder with --out`)
}

async function writePair(
  folder: string,
  { qwac, qseal, authority }: SandboxPair,
): Promise<string[]> {
  const contents: Record<(typeof files)[number], string> = {
    'qwac.pem': qwac.certificate,
    'qwac.key': qwac.privateKey,
    'qseal.pem': qseal.certificate,
    'qseal.key': qseal.privateKey,
    'authority.pem': authority,
  }
  const written: string[] = []
  try {
    for (const [name, text] of Object.entries(contents)) {
      const path = join(folder, name)
      // Never over the key of another certificate.
      await writeFile(path, text, { mode: name.endsWith('.key') ? 0o600 : 0o644, flag: 'wx' })
      written.push(path)
    }
  } catch (error) {
    throw unwritten(folder, error)
  }
  return written
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    throw unwritten(folder, error)
  }
}

function unwritten(folder: string, error: unknown): CommandError {
  const { code, path = folder } = error as NodeJS.ErrnoException
  return code === 'EEXIST' ? exists(path) : new CommandError(`cannot write ${path}: ${code}`)
}
