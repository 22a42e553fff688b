import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline'
import type { Tollgate } from '../main.ts'

export interface AnswerKeysOptions extends Pick<Tollgate, 'places' | 'portalUrl'> {
  readonly say: (text: string) => void
}

/**
 * Answers what a person types at a running Tollgate: `h` and Enter show its
 * addresses again, `o` and Enter open the portal in a browser. It takes whole
 * lines, so the terminal stays as it is, even after SIGKILL.
 */
export function answerKeys(options: AnswerKeysOptions): void {
  let lines: Interface | undefined

  function follow(): void {
    lines?.close()
    lines = undefined
    // The kernel stops a process that reads from its terminal in the background.
    if (!isInForeground()) return
    lines = createInterface({ input: process.stdin })
    lines.on('line', (line) => answer(line.trim().toLowerCase(), options))
    // It must not keep a process from ending.
    process.stdin.unref()
  }

  follow()
  if (lines !== undefined && options.places !== undefined) options.say(hintOf(options))
  // After `bg`, and after `fg` of a process that was stopped.
  process.on('SIGCONT', follow)
}

function hintOf({ portalUrl }: AnswerKeysOptions): string {
  const toOpen = portalUrl === undefined ? '' : ', o and Enter to open the portal'
  return `Type h and Enter to see the addresses again${toOpen}.\n`
}

function answer(key: string, { places, portalUrl, say }: AnswerKeysOptions): void {
  if (key === 'h' && places !== undefined) say(`\n${places}\n`)
  if (key === 'o' && portalUrl !== undefined) openInBrowser(portalUrl, say)
}

function openInBrowser(url: string, say: AnswerKeysOptions['say']): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  // In a group of its own: Ctrl+C ends Tollgate and not the browser.
  const browser = spawn(program, [url], { stdio: 'ignore', detached: true })
  const missing = () => say(`No browser could be opened. Open ${url} yourself.`)
  browser.once('error', missing).once('exit', (code) => {
    if (code !== 0) missing()
  })
  browser.unref()
}

/** Whether the process belongs to the group that its terminal serves. */
function isInForeground(): boolean {
  try {
    const [group, served] = process.platform === 'linux' ? groupsOfLinux() : groupsByPs()
    return group === served
  } catch {
    return false
  }
}

/** proc_pid_stat(5): behind the name, the fifth and the eighth value of the line. */
function groupsOfLinux(): (string | undefined)[] {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return [fields[2], fields[5]]
}

function groupsByPs(): (string | undefined)[] {
  const options = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)]
  return execFileSync('ps', options, { encoding: 'utf8' }).trim().split(/\s+/)
}
