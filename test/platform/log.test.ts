import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'

const program = `
import { createLog, lineWriter } from './src/platform/log/log.ts'
const log = createLog('info')
const write = lineWriter(log)
for (let line = 0; line < 3; line += 1) write(JSON.stringify({ line }) + '\\n')
log.warn({ line: 3 }, 'urgent')
for (let line = 4; line < 2_000; line += 1) write(JSON.stringify({ line }) + '\\n')
`

t.test('lines that may wait keep their order, and the end of a process loses none', async (t) => {
  const args = ['--input-type=module-typescript', '--eval', program]
  const { stderr } = await promisify(execFile)(process.execPath, args)
  const lines = stderr.trim().split('\n')
  t.same(
    lines.map((line) => JSON.parse(line).line),
    Array.from({ length: 2_000 }, (_, line) => line),
  )
})
