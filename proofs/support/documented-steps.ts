import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Test } from '../../test/support/database.ts'

/** The commands of each numbered step of a section, in one text. */
export type DocumentedSteps = ReadonlyMap<number, string>

/**
 * Reads the commands of a section of a page. A line whose comment has a number is
 * of that step, and so are the lines before it and the rest of its block.
 */
export function documentedSteps(page: string, heading: string): DocumentedSteps {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const steps = new Map<number, string>()
  for (const [, block = ''] of section.matchAll(/^```sh\n([\s\S]*?)^```/gm)) {
    let step: number | undefined
    let waiting = ''
    for (const line of block.trim().split('\n')) {
      waiting += `${line}\n`
      const numbered = /# (\d)\. /.exec(line)
      if (numbered === null) continue
      step = Number(numbered[1])
      steps.set(step, (steps.get(step) ?? '') + waiting)
      waiting = ''
    }
    if (step !== undefined) steps.set(step, steps.get(step) + waiting)
  }
  if (steps.size === 0) throw new Error(`${page} has no steps under ${heading}`)
  return steps
}

/** A shell that stays open: what one step sets, the next one knows. */
export interface OpenShell {
  /** Resolves with what the commands print. @throws when the last one fails, or one before it */
  run(commands: string): Promise<string>
}

/** Opens a shell in a folder; it ends with the test. */
export function openShell(t: Test, cwd: string): OpenShell {
  const child = spawn('/bin/sh', ['-e'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += String(chunk)
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stdin.write('umask 077\n')
  return {
    async run(commands) {
      child.stdin.write(`${commands}\necho the step is done\n`)
      let printed = ''
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`${commands}: ${complaint}`)
        if (value === 'the step is done') return printed
        printed += `${value}\n`
      }
    },
  }
}
