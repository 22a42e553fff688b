import { createRequire } from 'node:module'

/** The part of WebAssembly used here; Node's types leave its declaration to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (binary: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, (...args: number[]) => number>>>>,
  ) => { readonly exports: unknown }
}

/**
 * Node's own HTTP parser (llhttp), in the WebAssembly build that undici uses
 * for every response. Strict: no lenient flag is set.
 *
 * Undici is pinned to an exact version. A test reads the same messages with
 * Node's native build of the parser and compares the results.
 */
export interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly malloc: (bytes: number) => number
  readonly llhttp_alloc: (type: number) => number
  readonly llhttp_free: (parser: number) => void
  /** @returns 0, or the number of the error. */
  readonly llhttp_execute: (parser: number, at: number, length: number) => number
  /**
   * Call when the connection ended. Completes a body that lasts until then;
   * returns an error number when something is missing.
   */
  readonly llhttp_finish: (parser: number) => number
  readonly llhttp_get_http_major: (parser: number) => number
  readonly llhttp_get_http_minor: (parser: number) => number
  readonly llhttp_get_error_reason: (parser: number) => number
}

/** Callbacks of the parser while it runs. A return value other than 0 stops it. */
export interface LlhttpCallbacks {
  messageBegan(): number
  /** Part of the reason phrase, by its position in memory. */
  reason(at: number, length: number): number
  /** Part of a field name, by its position in memory. */
  fieldName(at: number, length: number): number
  fieldValue(at: number, length: number): number
  headEnded(status: number, isUpgrade: boolean, keepsAlive: boolean): number
  body(at: number, length: number): number
  messageEnded(): number
}

/** The type for `llhttp_alloc` that parses responses. */
export const responseType = 2

/** Compiles the parser with the given callbacks. */
export function loadLlhttp(callbacks: LlhttpCallbacks): Llhttp {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readBinary()), {
    env: {
      wasm_on_url: () => 0,
      wasm_on_status: (_parser: number, at: number, length: number) => callbacks.reason(at, length),
      wasm_on_message_begin: () => callbacks.messageBegan(),
      wasm_on_header_field: (_parser: number, at: number, length: number) =>
        callbacks.fieldName(at, length),
      wasm_on_header_value: (_parser: number, at: number, length: number) =>
        callbacks.fieldValue(at, length),
      wasm_on_headers_complete: (_: number, status: number, upgrade: number, keep: number) =>
        callbacks.headEnded(status, upgrade === 1, keep === 1),
      wasm_on_body: (_parser: number, at: number, length: number) => callbacks.body(at, length),
      wasm_on_message_complete: () => callbacks.messageEnded(),
    },
  })
  // WebAssembly has no types for exports: this is the parse boundary.
  return exports as Llhttp
}

function readBinary(): Uint8Array<ArrayBuffer> {
  const binary: unknown = createRequire(import.meta.url)('undici/lib/llhttp/llhttp_simd-wasm.js')
  if (!(binary instanceof Uint8Array))
    throw new Error('undici no longer exports llhttp at its known path')
  return new Uint8Array(binary)
}
