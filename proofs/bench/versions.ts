import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workbench.ts'

/** Programs of the peers and of the load, and the option that prints their version. */
const programs = [
  ['nginx', '-v'],
  ['haproxy', '-v'],
  ['redis-server', '--version'],
  ['psql', '--version'],
  ['wrk', '-v'],
] as const
const packages = ['fastify', '@fastify/http-proxy', '@fastify/rate-limit', 'undici', 'ioredis']

/** What the subjects are made of, for a reader who measures with others: one release of undici cost a millisecond a call. */
export function versions(): string {
  const installed = programs.map(([program, option]) => {
    const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' })
    return `${program} ${/\d+(?:\.\d+)+/.exec(`${stdout}${stderr}`)?.[0] ?? 'not found'}`
  })
  const used = packages.map((name) => {
    const file = join(root, 'node_modules', name, 'package.json')
    // Parse boundary: npm wrote it.
    const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'))
    return `${name} ${version}`
  })
  return [...installed, ...used].join(', ')
}
