// Loaded before the gateway: puts the fault that the environment names into the source of one module as it is loaded.
import { registerHooks } from 'node:module'
import { plantedFaults } from './planted.ts'

const name = process.env['PLANTED']
const fault = plantedFaults.find((one) => one.name === name)
if (fault === undefined) throw new Error(`no such fault: ${name}`)
const { file, from, to } = fault
const { href } = new URL(`../../src/gateway/${file}`, import.meta.url)
let isPlanted = false

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (url !== href) return loaded
    const source = String(loaded.source)
    if (!source.includes(from)) throw new Error(`the fault no longer fits: ${name}`)
    isPlanted = true
    return { ...loaded, source: source.replace(from, () => to) }
  },
})
process.once('message', () => {
  if (!isPlanted) throw new Error(`the fault was not planted: ${name}`)
})
