import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { asYaml, renderKustomization } from '../support/kustomize.ts'

const header = '# Written by `npm run kubernetes`. A test compares.\n'

/** Files of deploy/kubernetes that are made from others, with what they should contain. */
export const generatedFiles: readonly { readonly file: string; readonly wanted: () => string }[] = [
  { file: 'deploy/kubernetes/components/monitoring/rules.yaml', wanted: prometheusRule },
  { file: 'deploy/kubernetes/components/monitoring/dashboards.yaml', wanted: dashboards },
  {
    file: 'deploy/kubernetes/ha.yaml',
    wanted: () => header + asYaml(renderKustomization('deploy/kubernetes/overlays/ha')),
  },
]

const labels = {
  'app.kubernetes.io/part-of': 'tollgate',
  'app.kubernetes.io/component': 'monitoring',
}

/** The alerts of Prometheus, as its operator takes them. */
function prometheusRule(): string {
  const rules = parse(readFileSync('deploy/prometheus/tollgate.rules.yaml', 'utf8'))
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'tollgate', labels },
    spec: rules,
  }
  return header + stringify(rule, { version: '1.1', lineWidth: 0 })
}

/** The dashboards of Grafana, with the label by which the Helm charts of Grafana and Prometheus find them. */
function dashboards(): string {
  const maps = globSync('deploy/grafana/dashboards/*.json')
    .toSorted()
    .map((file) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: basename(file, '.json'), labels: { ...labels, grafana_dashboard: '1' } },
      data: { [basename(file)]: readFileSync(file, 'utf8') },
    }))
  const options = { version: '1.1', lineWidth: 0 } as const
  return header + maps.map((map) => stringify(map, options)).join('---\n')
}

// A program: `npm run kubernetes` writes the files, in this order, because the last contains the others.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, wanted } of generatedFiles) writeFileSync(file, wanted())
}
