/** The keys for one purpose. They may change while the process runs, so read them at each use. */
export interface Keyring {
  /** For signing and sealing. 32 bytes. */
  readonly newest: Buffer
  /** Verify and open, the newest first. */
  readonly all: readonly Buffer[]
}
