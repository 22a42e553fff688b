import { join } from 'node:path'
import t from 'tap'
import { type Manifest, readManifests, renderKustomization } from '../support/kustomize.ts'
import { schemaProblem, unknownFields } from '../support/manifest-schemas.ts'
import { documentedOverlay, overlays, renderOverlay, variants } from '../support/manifests.ts'

function everything(): Manifest[] {
  return [
    ...overlays.flatMap(renderOverlay),
    ...Object.values(variants).flatMap((variant) =>
      renderKustomization(documentedOverlay(t, variant)),
    ),
    ...renderKustomization(join(documentedOverlay(t), '../sandbox')),
    ...readManifests('deploy/kubernetes/secrets.example.yaml'),
  ]
}

t.test(
  'every object in deploy/kubernetes keeps to the schema of its kind, without unknown fields',
  async (t) => {
    const manifests = everything()
    for (const kind of ['Deployment', 'HTTPRoute', 'ServiceMonitor', 'PrometheusRule', 'Secret']) {
      t.ok(
        manifests.some((one) => one.kind === kind),
        `${kind} is among them`,
      )
    }
    for (const manifest of manifests) t.equal(await schemaProblem(manifest), undefined)
    t.same(unknownFields(manifests), [])
  },
)

t.test('an object with a wrong value or an unknown field is found', async (t) => {
  const [deployment] = renderOverlay('ha').filter(({ kind }) => kind === 'Deployment')
  if (deployment === undefined) throw new Error('there is no Deployment')
  const broken = (change: (text: string) => string): Manifest => {
    const text = JSON.stringify(deployment)
    t.not(change(text), text, 'it is broken')
    return JSON.parse(change(text))
  }
  const wrong = broken((text) => text.replace('"periodSeconds":2', '"periodSeconds":"often"'))
  t.match(await schemaProblem(wrong), /^Deployment tollgate-gateway: .*periodSeconds/s)
  const unknown = broken((text) => text.replace('"readOnlyRootFilesystem"', '"readonlyRoot"'))
  t.match(unknownFields([unknown])[0], /readonlyRoot.* does not exist/)
  const policy = broken((text) => text.replace('"RollingUpdate"', '"Rolling"'))
  t.match(unknownFields([policy]).join('\n'), /"Rolling"/)
})
