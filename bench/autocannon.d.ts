// autocannon ships no types; this is what we use of it.
declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly duration: number
    readonly connections: number
    readonly headers: Readonly<Record<string, string>>
  }
  interface Result {
    readonly requests: { readonly total: number; readonly average: number }
    readonly latency: { readonly p50: number; readonly p99: number }
    readonly errors: number
    readonly timeouts: number
    readonly '2xx': number
    readonly non2xx: number
  }
  // biome-ignore lint/style/noDefaultExport: that is how the library exports it
  export default function autocannon(options: Options): Promise<Result>
}
