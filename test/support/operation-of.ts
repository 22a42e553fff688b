import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'

/** Names the operation of a request as `xs2a@1.7.0 listAccounts`; `unknown` for one that no version of the API has. */
export type OperationOf = (
  method: string,
  target: string,
  identity: { readonly api: string; readonly version: string },
) => string

/**
 * Learns the operations from our documents. Any version of an API will do: ids and paths are the same in each that has the
 * operation.
 */
export async function learnOperations(): Promise<OperationOf> {
  const config = fileURLToPath(new URL('../../config', import.meta.url))
  const { versions } = await loadCatalogue(config)
  const operations = [...versions.values()].flatMap(({ api, operations }) =>
    operations.map(({ id, method, template }) => ({
      api,
      id,
      method: method.toUpperCase(),
      path: new RegExp(`^/v[^/]+${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    })),
  )
  return (method, target, { api, version }) => {
    const [path = ''] = target.split('?', 1)
    const found = operations.find(
      (operation) =>
        operation.api === api && operation.method === method && operation.path.test(path),
    )
    return `${api}@${version} ${found?.id ?? 'unknown'}`
  }
}
