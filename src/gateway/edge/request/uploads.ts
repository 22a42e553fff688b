import { lastUploadMs } from '../../../platform/http/stop-times.ts'
import { Roster } from '../../../platform/roster.ts'
import type { EntitledCall } from '../call.ts'
import { type Receive, Upload } from './upload.ts'
import { createUploadMemory } from './upload-memory.ts'

/** Interval at which uploads are checked for their rate. */
const watchMs = 250

export interface UploadsOptions {
  /** Maximum octets of bodies the process holds at a time. */
  readonly uploadBufferMax: number
  /** Maximum octets of one body. */
  readonly bodyBytesMax: number
  /** Minimum octets per second of an upload, over ten seconds; 0 for no minimum. */
  readonly uploadBytesPerSecondMin: number
  /** Whether the port is open. Once it has closed, an upload has {@link lastUploadMs} to complete. */
  readonly isListening: () => boolean
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** Receives request bodies. */
export interface Uploads {
  /** Calls `done` once. */
  receive(call: EntitledCall, done: Receive): void
  /** Octets of bodies in memory. */
  octets(): number
  close(): void
}

export function createUploads(options: UploadsOptions): Uploads {
  const { uploadBufferMax, bodyBytesMax, uploadBytesPerSecondMin, isListening, monotonic } = options
  const underway = new Roster<Upload>()
  const memory = createUploadMemory(uploadBufferMax)
  const shared = {
    memory,
    bodyBytesMax,
    underway,
    monotonic,
    bytesPerSecondMin: uploadBytesPerSecondMin,
  }
  let openAt = monotonic()
  const watch = setInterval(() => {
    const at = monotonic()
    if (isListening()) openAt = at
    const isLate = at - openAt >= lastUploadMs
    for (const upload of underway.all()) {
      if (isLate) upload.stop()
      else upload.watch(at)
    }
  }, watchMs).unref()
  return {
    receive(call, done) {
      // What a client announces takes no memory, but without room for it, receiving it would waste the time of others.
      const refusal = memory.refusal(call.caller, Number(call.fields.contentLength ?? 0))
      if (refusal === undefined) new Upload(call, shared, done)
      else done(refusal)
    },
    octets: memory.octets,
    close: () => clearInterval(watch),
  }
}
