import { execFileSync } from 'node:child_process'

/** Runs git in a repository. @returns what it prints, trimmed. @throws with what it says on standard error */
export function git(repository: string, ...args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  } catch (cause) {
    // Parse boundary: what execFileSync throws.
    const { stderr } = cause as { stderr?: string }
    throw new Error(`git ${args[0]} failed: ${(stderr ?? '').trim()}`, { cause })
  }
}

/** The commit that is checked out, and when it was made. */
export function currentCommit(repository: string): { revision: string; committedAt: Date } {
  const [revision = '', seconds] = git(repository, 'log', '-1', '--format=%H %ct').split(' ')
  return { revision, committedAt: new Date(Number(seconds) * 1000) }
}
