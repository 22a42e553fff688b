import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Serializes responses that match their schema exactly. Fastify's own
 * serializer would drop members that a schema does not name and turn null into
 * 0, which hides bugs. Here a mismatch is an error, so no response leaks
 * unintended data. The response null has no body.
 */
export function serializeStrictly(app: FastifyInstance): void {
  app.setSerializerCompiler(answerSerializer)
  app.addHook('onSend', async (_request, reply, payload) => {
    if (payload === '') reply.removeHeader('content-type')
  })
}

/**
 * The same for answers that never change: checks and writes each object once.
 * Serialising the document of a version again would block the process for
 * milliseconds, for anyone who asks.
 */
export const serializeOnce: FastifySerializerCompiler<TSchema> = (route) => {
  const serialize = answerSerializer(route)
  const texts = new WeakMap<object, string>()
  return (answer) => {
    const text = texts.get(answer) ?? serialize(answer)
    texts.set(answer, text)
    return text
  }
}

const answerSerializer: FastifySerializerCompiler<TSchema> = (route) => {
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
    return answer === null ? '' : JSON.stringify(answer)
  }
}
