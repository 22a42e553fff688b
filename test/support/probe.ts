// Loaded into a measured gateway (`--import`). At each SIGWINCH, which Tollgate does not use, it writes a line to
// $PROBE_FILE: what V8 has allocated since the start, and how long each collection since the line before stopped the main
// thread.
import { appendFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const file = process.env['PROBE_FILE']
if (file !== undefined && isMainThread) {
  let stopsMs: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) stopsMs.push(duration)
  })
  observer.observe({ entryTypes: ['gc'] })
  process.on('SIGWINCH', () => {
    const { total_allocated_bytes: allocatedBytes } = getHeapStatistics()
    appendFileSync(file, `${JSON.stringify({ allocatedBytes, stopsMs })}\n`)
    stopsMs = []
  })
}
