import fc from 'fast-check'
import { createDraw } from './random.ts'

/**
 * What tests draw by chance is the same in each run: a second run with other draws would hide a real failure. SEED draws
 * others.
 */
const seed = Number(process.env['SEED'] ?? 20_261_129)

fc.configureGlobal({ seed })

/** Draws whole numbers from 0 to below its argument. */
export const draw = createDraw(seed)
