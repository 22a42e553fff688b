import { readFileSync } from 'node:fs'

/** The processes a process has started and that live, by /proc. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.trim().split(/\s+/).filter(Boolean).map(Number)
  } catch {
    // It ended.
    return []
  }
}

/** Whether a process lives; one that has ended and is not yet collected does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The command line of a process; until it runs a program of its own, that of its parent. Empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
