/** How much a pool of connections has to do now. */
export interface PoolLoad {
  /** Connections that carry a request or a statement. */
  readonly busy: number
  readonly idle: number
  /** Requests or statements without a connection. */
  readonly waiting: number
}
