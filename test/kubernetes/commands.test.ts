import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { readManifests, renderKustomization } from '../support/kustomize.ts'
import { documentedOverlay } from '../support/manifests.ts'

const page = readFileSync('docs/kubernetes.md', 'utf8')

/** The block of commands that contains a text. */
function block(text: string): string {
  const found = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].filter(([, lines]) =>
    lines?.includes(text),
  )
  const [[, lines] = []] = found
  if (lines === undefined || found.length > 1) throw new Error(`docs/kubernetes.md: ${text}`)
  return lines
}

/**
 * Runs commands with a stub in place of kubectl.
 *
 * @param stub lines for a shell that has the arguments of kubectl
 * @returns the calls of kubectl
 */
function runCommands(t: Test, commands: string, stub: string) {
  const folder = t.testdir({
    kubectl: `#!/bin/sh\necho "$*" >> "$(dirname "$0")/calls"\n${stub}\n`,
  })
  const script = `chmod +x ${folder}/kubectl; PATH=${folder}:$PATH\n${commands}`
  const { status, stdout } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
  return { status, stdout, calls: readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') }
}

t.test('the commands of an upgrade stop at the first role that fails', async (t) => {
  const commands = block('for role in bank gateway portal')
  const all = runCommands(t, commands, 'exit 0')
  t.equal(all.status, 0)
  t.equal(all.calls.filter((call) => call.startsWith('apply')).length, 4)
  t.match(all.calls.at(0), 'wait --for=condition=complete', 'without the Job, no role changes')

  const failed = runCommands(t, commands, 'case $* in *rollout*gateway*) exit 1;; esac')
  t.equal(failed.status, 1)
  t.match(failed.calls.at(-1), 'rollout status deployment/tollgate-gateway')
  t.notMatch(failed.calls.join(), 'portal')

  const early = runCommands(t, commands, 'case $* in *wait*) exit 1;; esac')
  t.equal(early.status, 1)
  t.equal(early.calls.length, 1)
})

t.test('the wait for the Job ends when it fails, too, and does not begin without it', async (t) => {
  const commands = block('until kubectl')
  for (const end of ['Complete', 'Failed']) {
    const { stdout } = runCommands(t, commands, `case $* in *jsonpath*) echo 'Other ${end}';; esac`)
    t.equal(stdout, `${end}\n`)
  }
  const { calls } = runCommands(t, commands, 'case $* in apply*) exit 1;; esac')
  t.notMatch(calls.join(), 'get job')
})

t.test('the search for what was not replaced finds each value of the page', async (t) => {
  const [, pattern = ''] = /grep -nE '(.*)'/.exec(page) ?? []
  const text = stringify(renderKustomization(documentedOverlay(t)))
  const found = text
    .split('\n')
    .filter((line) => new RegExp(pattern).test(line))
    .join('\n')
  const values = ['registry.bank', 'api.bank', 'developer.bank', 'approve.bank', 'developers@bank']
  for (const value of [...values, '10.0.7.0', '10.0.20.5', '10.0.21.5', '10.0.22.5']) {
    t.match(found, value)
  }
})

t.test(
  'each object is in one file, so that deleting those of a component spares the others',
  async (t) => {
    const [, file = ''] = /delete -f (\S+)/.exec(page) ?? []
    t.ok(existsSync(file), file)
    const all = globSync('deploy/kubernetes/{base,roles,components/*}/*.yaml')
      .filter((file) => !/kustomization|spread-|plans\/default/.test(file))
      .flatMap(readManifests)
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    t.equal(new Set(all).size, all.length, 'each object is in one file')
  },
)
