import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Labels of the languages that samples are shown in. */
export const languages = ['curl', 'Node.js', 'Python'] as const
export type Language = (typeof languages)[number]

/** Debian's own: only this one sees the package python3-requests. */
const python = '/usr/bin/python3'

const run = promisify(execFile)

/** Why a language cannot be run here, for the option `skip` of a test; false when it can. */
export async function languageMissing(language: Language): Promise<string | false> {
  if (language === 'Node.js') return false
  if (language === 'curl') {
    const isThere = ['curl', 'uuidgen'].every((name) => existsSync(`/usr/bin/${name}`))
    return isThere ? false : 'curl or uuidgen is not installed'
  }
  return run(python, ['-c', 'import requests']).then(
    () => false as const,
    () => `${python} has no package requests`,
  )
}

export interface RunSampleOptions {
  readonly language: Language
  readonly source: string
  /** Where its file is written. */
  readonly folder: string
  /** The only variables it sees besides PATH. */
  readonly variables: Readonly<Record<string, string>>
}

/** Runs a sample as it stands and resolves with what it printed; rejects when it ends with an error. */
export async function runSample({
  language,
  source,
  folder,
  variables,
}: RunSampleOptions): Promise<string> {
  const [program, name] = {
    curl: ['/bin/sh', 'sample.sh'] as const,
    'Node.js': [process.execPath, 'sample.mjs'] as const,
    Python: [python, 'sample.py'] as const,
  }[language]
  const file = join(folder, name)
  writeFileSync(file, source)
  const env = { PATH: '/usr/bin:/bin', ...variables }
  const { stdout } = await run(program, [file], { env, cwd: folder, timeout: 30_000 })
  return stdout
}
