// What people get who only register @fastify/http-proxy: no key, no plan, no count.
import httpProxy from '@fastify/http-proxy'
import { fastify } from 'fastify'

const app = fastify()
await app.register(httpProxy, { upstream: process.env['BACKEND_URL'] ?? '' })
process.stdout.write(`ready ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
