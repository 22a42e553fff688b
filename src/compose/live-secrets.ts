import { statSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'
import { secretListProblem } from '../platform/settings/secret-list.ts'
import { readSettings, type Settings, secretLengthMin } from '../platform/settings/settings.ts'
import {
  createWatchedCopy,
  type Watched,
  type WatchedFiles,
} from '../platform/settings/watched-files.ts'

/** Throws an Error whose message says what is wrong with the text, without the text. */
export type CheckSecret = (text: string) => void | Promise<void>

/** Checks a list of secrets as the settings do. */
export function checkSecretList(text: string): void {
  const problem = secretListProblem(text, secretLengthMin)
  if (problem !== undefined) throw new Error(`the file ${problem}`)
}

/** A secret that may change while the process runs. */
export interface LiveSecret extends Watched<string> {
  /** From now on, a change must also pass this. Otherwise it is refused, and the current text stays. */
  addCheck(check: CheckSecret): void
}

/** The secrets of a process: NAME never changes, the file of NAME_FILE may. */
export interface LiveSecrets {
  /**
   * Follows a secret by the name of its setting. Following it again returns the
   * same.
   *
   * @param options.text as the settings have it
   * @throws {FilesInvalid}
   */
  follow(
    setting: string,
    options: { readonly text: string; readonly check?: CheckSecret },
  ): Promise<LiveSecret>
}

/** A secret of which any text will do. @returns undefined when it is not set */
export async function followText(
  secrets: LiveSecrets,
  setting: keyof typeof checks,
  text: string | undefined,
): Promise<(() => string) | undefined> {
  if (text === undefined) return undefined
  return (await secrets.follow(setting, { text, check: checks[setting] })).current
}

const checks = {
  SMTP_URL(text: string): void {
    readSettings({ SMTP_URL: text })
  },
  OIDC_CLIENT_SECRET(): void {},
} as const satisfies Readonly<Record<string, CheckSecret>>

export interface LiveSecretsOptions {
  readonly settings: Pick<Settings, 'secretFiles'>
  readonly files: Pick<WatchedFiles, 'watch'>
  readonly metricsRegistry: Registry
}

/** Creates the secrets. Changed files apply as those of certificates do. */
export function createLiveSecrets(options: LiveSecretsOptions): LiveSecrets {
  const { secretFiles } = options.settings
  const followed = new Map<string, LiveSecret>()
  showChanges(options.metricsRegistry, secretFiles)

  async function open(setting: string, path: string, first: CheckSecret): Promise<LiveSecret> {
    const checks = [first]
    const secret = await options.files.watch({
      name: setting.toLowerCase(),
      files: [{ setting: `${setting}_FILE`, path }],
      async parse(contents) {
        const text = String(contents[0] ?? '').trim()
        if (text === '') throw new Error('the file is empty')
        for (const check of checks) await check(text)
        return text
      },
    })
    return { ...secret, addCheck: (check) => void checks.push(check) }
  }

  return {
    async follow(setting, { text, check = () => undefined }) {
      const known = followed.get(setting)
      if (known !== undefined) {
        known.addCheck(check)
        return known
      }
      const path = secretFiles[setting]
      const secret = path === undefined ? unchanging(text) : await open(setting, path, check)
      followed.set(setting, secret)
      return secret
    },
  }
}

function unchanging(text: string): LiveSecret {
  return { ...createWatchedCopy(text), addCheck: () => undefined }
}

/** Shows the age of each secret that comes from a file. */
function showChanges(registry: Registry, files: Readonly<Record<string, string>>): void {
  new Gauge({
    name: 'gateway_secret_changed_timestamp_seconds',
    help: 'When the file of a secret was last written, in seconds since 1970',
    labelNames: ['secret'],
    registers: [registry],
    collect() {
      for (const [secret, path] of Object.entries(files)) {
        const changedAt = changeOf(path)
        if (changedAt !== undefined) this.set({ secret }, changedAt / 1000)
      }
    },
  })
}

/** Undefined: the file cannot be read, which its reload reports. */
function changeOf(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs
  } catch {
    return undefined
  }
}
