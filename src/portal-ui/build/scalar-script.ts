import scalar from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'
import type { Plugin } from 'vite'

const name = 'virtual:scalar-script'

/**
 * Makes the library's script of the API reference a file of the page;
 * `import url from 'virtual:scalar-script'` is its address.
 */
export function scalarScript(): Plugin {
  let isServing = false
  return {
    name: 'scalar-script',
    configResolved({ command }) {
      isServing = command === 'serve'
    },
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined
      if (isServing) return `export const scalarScriptUrl = ${JSON.stringify(`/${name}.js`)}`
      const file = this.emitFile({
        type: 'asset',
        name: 'scalar.js',
        source: await readScript(),
      })
      return `export const scalarScriptUrl = import.meta.ROLLUP_FILE_URL_${file}`
    },
    configureServer({ middlewares }) {
      middlewares.use(`/${name}.js`, (_request, answer) => {
        void readScript().then((script) => {
          answer.setHeader('content-type', 'text/javascript; charset=utf-8')
          answer.end(script)
        })
      })
    },
  }
}

/** The library offers its script only over HTTP. */
async function readScript(): Promise<string> {
  const app = fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } })
  const { statusCode, body } = await app.inject('/reference/js/scalar.js')
  if (statusCode !== 200) throw new Error(`the script of the reference answers ${statusCode}`)
  return body
}
