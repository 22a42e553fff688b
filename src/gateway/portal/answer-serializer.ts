import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Makes JSON of an answer that is exactly as its schema says. Fastify's own
 * serializer would leave out members the schema does not name and turn null
 * into 0: a mistake of ours would look like an answer. Here it is an error,
 * and nothing leaves that was not meant to.
 */
export const answerSerializer: FastifySerializerCompiler<TSchema> = (route) => {
  const validator = Compile(route.schema)
  return (answer) => {
    if (!validator.Check(answer)) {
      // Paths and keywords only: values may be secret.
      const faults = [...validator.Errors(answer)].map(
        ({ instancePath, keyword }) => `${instancePath || '/'} (${keyword})`,
      )
      const { method, url } = route
      throw new Error(`the answer of ${method} ${url} is not as described: ${faults.join(', ')}`)
    }
    return JSON.stringify(answer)
  }
}
