import { settleMs, startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { print, printGoal, printMeasured, ratio } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { mix, writeRequests } from '../workload.ts'
import type { Section } from './section.ts'

/** What a line for each call costs the gateway, which writes it to a pipe whose reader keeps up. */
export const log: Section = async (world, options) => {
  const list = writeRequests(world.bench, 'log', mix({ keys: world.keys }))
  const lines = { count: 0, bytes: 0 }
  const countLines = (piece: Buffer): void => {
    lines.bytes += piece.length
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines.count += 1
  }
  const start = async (accessLog: string, readLog?: (piece: Buffer) => void): Promise<Subject> => {
    const env = { ACCESS_LOG: accessLog, LOG_LEVEL: 'info', LOG_FORMAT: 'json' }
    const name = `Tollgate, ACCESS_LOG=${accessLog}`
    const running = await startTollgatePeer(world, { name, env, ...(readLog && { readLog }) })
    return { ...running, list, expect: 200, settleMs, warmSeconds }
  }
  const [off, all] = await runRounds([await start('off'), await start('all', countLines)], options)
  if (off === undefined || all === undefined) return
  printMeasured('log', [off, all], [{ head: '× off', to: off }])
  print(`${lines.count} lines of ${(lines.bytes / lines.count).toFixed(0)} bytes on average`)
  printGoal('CPU per call, a line for each × none', ratio(all, off, 'cpuMicrosecondsPerCall'), {
    atMost: 1.08,
  })
}
