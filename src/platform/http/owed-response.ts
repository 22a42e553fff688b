import type { Socket } from 'node:net'

/** The response to a request, as the gateway uses it: Node's, or that of a plain request. */
export interface OwedResponse {
  readonly statusCode: number
  /** Whether the connection stays open after it. */
  shouldKeepAlive: boolean
  readonly headersSent: boolean
  /** Whether the system has taken the whole response. */
  readonly writableFinished: boolean
  /** Whether it was sent, or its connection ended before. */
  readonly closed: boolean
  readonly destroyed: boolean
  /** Null while responses to earlier requests are pending, and at the end. */
  readonly socket: Socket | null
  /**
   * @param fields alternating names and values
   * @throws for a field that no message can have
   */
  writeHead(status: number, fields: string[]): unknown
  /** @returns whether there is room for more; otherwise `drain` follows */
  write(octets: Buffer): boolean
  end(): OwedResponse
  end(body: string | Buffer, encoding?: BufferEncoding): OwedResponse
  destroy(): unknown
  on(event: 'close' | 'finish' | 'drain', listener: () => void): unknown
  once(event: 'close' | 'finish' | 'drain', listener: () => void): OwedResponse
  once(event: 'socket', listener: (socket: Socket) => void): OwedResponse
  emit(event: 'drain'): boolean
}
