import { execFileSync } from 'node:child_process'

/** Why a test of what a page shows cannot run here; false if curl is installed. */
export function curlMissing(): string | false {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'curl is not installed'
  }
}
