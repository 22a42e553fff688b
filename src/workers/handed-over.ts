import type { ChildProcess, Serializable } from 'node:child_process'

/** What Node's cluster sends to a worker along with a connection, and the worker's reply. */
interface ClusterMessage {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/** A connection as Node holds it before it becomes a socket. */
interface ConnectionHandle {
  close(): void
}

/**
 * Closes connections that a worker had received but not accepted when it ended.
 * Node's round robin closes its own copy of a connection only after the worker
 * confirms it. Without this, the client would wait forever when the worker
 * dies.
 *
 * Reads the private protocol of `node:cluster` (Node 26). If that changes, this
 * finds nothing, and such connections wait as they do in plain Node.
 */
export function closeWithWorker(process: ChildProcess): void {
  const handedOver = new Map<number, ConnectionHandle>()
  const send = process.send.bind(process)
  process.send = (message: Serializable, handle?: unknown, ...rest: readonly unknown[]) => {
    // Parse boundary: the cluster sends messages of this shape; the gateway's own messages carry no handle.
    const { act, seq } = message as ClusterMessage
    if (act === 'newconn' && seq !== undefined) handedOver.set(seq, handle as ConnectionHandle)
    return send(message, handle as never, ...(rest as []))
  }
  process.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) handedOver.delete(ack)
  })
  process.once('exit', () => {
    for (const handle of handedOver.values()) handle.close()
    handedOver.clear()
  })
}
