import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { childEnvironment } from '../../test/support/child-environment.ts'
import type { Manifest } from '../../test/support/kustomize.ts'
import { environmentOf, image, type Pod } from '../../test/support/manifests.ts'

/** The user of the pods. */
const uid = 1000

/** Why a pod cannot have namespaces of its own here; false when it can. */
export function namespacesMissing(): string | false {
  if (process.getuid?.() !== 0) return 'only root makes namespaces'
  const made = spawnSync('unshare', ['--mount', '--net', 'ip', 'link', 'set', 'lo', 'up'])
  return made.status === 0 ? false : 'unshare or ip does not work here'
}

export interface PodOptions {
  readonly manifests: readonly Manifest[]
  /** With a folder for each secret, by its name, whose files are its entries. */
  readonly secrets?: string
  /** The pod's volume for data, by its name. */
  readonly data?: string
  /** In place of settings: ports that are free here, and addresses of services here. */
  readonly env?: Readonly<Record<string, string>>
  /** Alone in its network, as a pod is; the ports are its own. (Default: the network of this machine) */
  readonly isAlone?: boolean
}

export interface RunningPod {
  /** What the program wrote. */
  readonly output: { stdout: string; stderr: string }
  /** Resolves when the program is ready; rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves to the exit code, or the signal. */
  readonly ended: Promise<number | string | null>
  readonly stop: () => void
  /** The most memory that it has had, in bytes. */
  readonly memoryMax: () => number
  /** Runs a command in the pod, as `kubectl exec` does; it resolves to what the command writes. */
  readonly exec: (...command: readonly string[]) => string
}

/**
 * Starts the command of a pod as a process with the environment, user, files of
 * secrets and read-only file system of the pod; needs {@link namespacesMissing}
 * to be false. It ends with the test.
 */
export function startPod(t: Test, pod: Pod, options: PodOptions): RunningPod {
  const { manifests, env, isAlone = false } = options
  const mounts = mount(t, pod, options)
  const given = { PATH: childEnvironment['PATH'] ?? '', ...environmentOf(pod, manifests, mounts) }
  const here = Object.entries({ ...given, ...env }).map(([name, value]) => [name, inRoot(value)])
  const start = [...image.entrypoint.map(inRoot), ...(pod.container.args ?? [])]
  const writable = options.data === undefined ? [] : [options.data]
  const [program = '', ...args] = confined(start, { isAlone, writable })
  const child = spawn(program, args, {
    env: Object.fromEntries(here),
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  })
  const output = { stdout: '', stderr: '' }
  child.stderr.on('data', (chunk) => {
    output.stderr += String(chunk)
  })
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.stdout += `${line}\n`
      if (line.startsWith('tollgate ready ')) resolve()
    })
    void ended.then((code) => reject(new Error(`${pod.name} ended with ${code}: ${output.stderr}`)))
  })
  // A Job is never ready.
  ready.catch(() => undefined)
  return {
    output,
    ready,
    ended,
    stop: () => void child.kill('SIGTERM'),
    memoryMax() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
    },
    exec: (...command) => execIn(child, command.map(inRoot), Object.fromEntries(here)),
  }
}

/** The program lies in /app of the image. */
const inRoot = (path: string): string => path.replace(/^\/app(?=\/)/, resolve('.'))

/** As the user of the pod, with all files read-only but those in some folders. */
function confined(
  command: readonly string[],
  { isAlone, writable }: { readonly isAlone: boolean; readonly writable: readonly string[] },
): readonly string[] {
  const steps = [
    ...(isAlone ? ['ip link set lo up'] : []),
    ...writable.map((path) => `mount --bind '${path}' '${path}'`),
    // Tests run in memory where they can.
    'for at in / /dev/shm; do mount -o remount,bind,ro "$at"; done',
    // Each start shows that this works.
    `! touch '${resolve('.')}/writable' 2> /dev/null || exit 77`,
    // By which tap would keep, at its end, what it knows of each process.
    'unset NODE_OPTIONS',
    `exec setpriv --reuid=${uid} --regid=${uid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`,
  ]
  const namespaces = ['--mount', ...(isAlone ? ['--net'] : [])]
  return ['unshare', ...namespaces, 'sh', '-ec', steps.join('\n'), 'sh', ...command]
}

function execIn(
  child: ChildProcess,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): string {
  const args = [
    `--target=${child.pid}`,
    '--mount',
    '--net',
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    ...command,
  ]
  return execFileSync('nsenter', args, { env, cwd: '/', encoding: 'utf8', stdio: 'pipe' })
}

/** The files of the pod's secrets, readable for its group alone; by the path in the pod. */
function mount(t: Test, pod: Pod, { secrets, data }: PodOptions): Record<string, string> {
  const mounts = (pod.container.volumeMounts ?? []).map(({ name, mountPath }) => {
    const secret = pod.spec.volumes?.find((one) => one.name === name)?.secret
    if (secret === undefined || secrets === undefined) return [mountPath, data ?? '']
    const folder = join(secrets, 'mounts', pod.name)
    mkdirSync(folder, { recursive: true })
    for (const { key, path } of secret.items ?? []) {
      const file = join(folder, path)
      cpSync(join(secrets, secret.secretName ?? '', key), file)
      chownSync(file, 0, pod.spec.securityContext?.fsGroup ?? 0)
      chmodSync(file, secret.defaultMode ?? 0o644)
    }
    t.comment(`${pod.name}: ${folder} in place of ${mountPath}`)
    return [mountPath, folder]
  })
  return Object.fromEntries(mounts)
}
