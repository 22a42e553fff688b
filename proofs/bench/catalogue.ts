import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { downloadTemplate, operations, prefix, uploadTemplate } from './operations.ts'

/** What the benchmark publishes. */
export const api = { name: 'bench', version: '1.0.0' } as const

/** A plan of the benchmark's catalogue. */
export interface BenchPlan {
  readonly name: string
  readonly calls: number
  /** ISO 8601. */
  readonly window: string
}

/** Never used up while the benchmark runs. */
export const ample: BenchPlan = { name: 'default', calls: 1_000_000_000, window: 'PT1H' }
/** Used up by one call of each operation, until long after the benchmark. */
export const spent: BenchPlan = { name: 'spent', calls: 1, window: 'P365D' }

/** Ample, and soon over. */
export const rolling: BenchPlan = { name: 'rolling', calls: 1_000_000_000, window: 'PT20S' }
/** Window of {@link rolling}. */
export const rollingSeconds = 20

/** Writes a configuration folder of the benchmark's own: one version, these plans. */
export function writeCatalogue(folder: string, plans: readonly BenchPlan[]): string {
  const config = join(folder, 'config')
  mkdirSync(join(config, 'apis', api.name), { recursive: true })
  mkdirSync(join(config, 'plans'))
  writeFileSync(
    join(config, 'apis', api.name, `${api.version}.yaml`),
    stringify(document(), { aliasDuplicateObjects: false }),
  )
  for (const plan of plans) {
    writeFileSync(join(config, 'plans', `${plan.name}.yaml`), stringify(planFile(plan)))
  }
  return config
}

function planFile({ name, calls, window }: BenchPlan): object {
  return {
    title: name,
    description: 'Of the benchmark.',
    apis: [`${api.name}@*`],
    limits: [{ name: 'default', calls, window, scope: 'operation' }],
    mode: 'enforce',
    onStoreOutage: 'local-share',
  }
}

function document(): object {
  const gets = operations.map(({ id, template }) => [template, { get: operation(id, template) }])
  return {
    openapi: '3.1.0',
    info: { title: 'Bench', version: api.version },
    servers: [{ url: `https://api.bank.example${prefix}` }],
    paths: {
      ...Object.fromEntries(gets),
      [uploadTemplate]: {
        post: { ...operation('upload', uploadTemplate), requestBody: { content: json } },
      },
      [downloadTemplate]: { get: operation('download', downloadTemplate) },
    },
  }
}

const json = { 'application/json': { schema: { type: 'object', additionalProperties: false } } }

function operation(operationId: string, template: string): object {
  const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  return {
    operationId,
    ...(template.includes('{') ? { parameters: [parameter] } : {}),
    responses: { 200: { description: 'What was asked for.', content: json } },
  }
}
