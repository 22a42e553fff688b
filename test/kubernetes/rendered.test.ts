import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseAllDocuments, stringify } from 'yaml'
import { type Manifest, renderKustomization } from '../support/kustomize.ts'
import { documentedOverlay, variants } from '../support/manifests.ts'
import { generatedFiles } from './generated.ts'

for (const { file, wanted } of generatedFiles) {
  t.test(`${file} is up to date (npm run kubernetes writes it)`, async (t) => {
    t.equal(readFileSync(file, 'utf8'), wanted())
  })
}

/** Why `kubectl kustomize` cannot be asked; false when it can. */
function kustomizeMissing(): string | false {
  try {
    const text = execFileSync('kubectl', ['version', '--client'], { stdio: 'pipe' }).toString()
    return /^Kustomize Version: v5\./m.test(text) ? false : 'kubectl has no Kustomize 5'
  } catch {
    return 'kubectl is not installed'
  }
}

const byName = (manifests: readonly Manifest[]) =>
  Object.fromEntries(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one]))

// Other tests check what the overlays contain; this one checks our renderer. .ci/run installs no kubectl, which would come
// from one more host, and fails if a test is skipped. So without kubectl there is no such test, and CI has a job for it.
const missing = kustomizeMissing()
if (missing !== false) t.comment(`not compared with kubectl kustomize: ${missing}`)
else {
  t.test('the overlays give the same objects here as with kubectl kustomize', async (t) => {
    const folders = [
      ...['ha', 'sandbox'].map((name) => `deploy/kubernetes/overlays/${name}`),
      ...Object.values(variants).map((variant) => documentedOverlay(t, variant)),
      join(documentedOverlay(t), '../sandbox'),
    ]
    for (const folder of folders) {
      const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
      const theirs = parseAllDocuments(text, { version: '1.1' }).map((one) => one.toJS())
      t.ok(theirs.length > 5)
      t.strictSame(byName(renderKustomization(folder)), byName(theirs), folder)
    }
  })
}

t.test(
  'a field that the renderer does not know is an error, and nothing is left out',
  async (t) => {
    const kind = { kind: 'Kustomization' }
    const object = stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } })
    const render = (kustomization: object) => {
      const folder = t.testdir({ 'a.yaml': object, 'b.yaml': object })
      writeFileSync(join(folder, 'kustomization.yaml'), stringify({ ...kind, ...kustomization }))
      return renderKustomization(folder)
    }
    t.match(render({ resources: ['a.yaml'] }), [{ kind: 'Service', metadata: { name: 'a' } }])
    const patch = (patch: string) => ({
      resources: ['a.yaml'],
      patches: [{ target: { kind: 'Service', name: 'a' }, patch }],
    })
    const mistakes: readonly (readonly [object, RegExp])[] = [
      [{ replacements: [] }, /does not know replacements/],
      [{ configMapGenerator: [{ name: 'a', envs: ['x'] }] }, /does not know envs/],
      [{ configMapGenerator: [{ name: 'a', files: ['b=x'] }] }, /"b=x" is not the path of a file/],
      [{ configMapGenerator: [{ name: 'a', behavior: 'merge' }] }, /the ConfigMap a is not there/],
      [{ configMapGenerator: [{ name: 'a', literals: ['B'] }] }, /"B" is not NAME=value/],
      [{ resources: ['a.yaml', 'b.yaml'] }, /Service a is there twice/],
      [patch('[{ op: move, path: /kind }]'), /is not add, replace or remove/],
      [patch('[{ op: replace, path: /spec/x, value: 1 }]'), /no such member/],
      [patch('[{ op: remove, path: /metadata/name }]'), /the patch of Service a breaks it/],
      [{ ...patch('[]'), resources: [] }, /there is no Service a to patch/],
      [
        { resources: ['a.yaml'], patches: [{ patch: object.replace('name: a', 'name: c') }] },
        /there is no Service c to patch/,
      ],
      [{ configMapGenerator: [{ name: 'a', behavior: 'x' }] }, /a: behavior/],
    ]
    for (const [kustomization, problem] of mistakes) {
      t.throws(() => render(kustomization), { message: problem })
    }
  },
)
