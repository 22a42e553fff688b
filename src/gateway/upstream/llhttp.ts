import { createRequire } from 'node:module'

/** As much of it as is used; the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (binary: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, (...args: number[]) => number>>>>,
  ) => { readonly exports: unknown }
}

/**
 * The parser of Node itself (llhttp), as undici builds it for WebAssembly and
 * uses it for every answer it reads. Strict: no leniency is switched on.
 *
 * Undici is pinned to an exact version; a test reads the same messages with
 * Node's own build of the parser and compares.
 */
export interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly malloc: (bytes: number) => number
  readonly llhttp_alloc: (type: number) => number
  readonly llhttp_free: (parser: number) => void
  /** @returns 0, or the number of what is wrong. */
  readonly llhttp_execute: (parser: number, at: number, length: number) => number
  /** The connection ended. Completes a body that lasts until then; else not 0 when something is missing. */
  readonly llhttp_finish: (parser: number) => number
  readonly llhttp_get_error_reason: (parser: number) => number
}

/** What the parser tells while it runs. What is not 0 stops it. */
export interface LlhttpCallbacks {
  messageBegan(): number
  /** Part of a name, where it lies in memory. */
  fieldName(at: number, length: number): number
  fieldValue(at: number, length: number): number
  headEnded(status: number, isUpgrade: boolean, keepsAlive: boolean): number
  body(at: number, length: number): number
  messageEnded(): number
}

/** For `llhttp_alloc`: parses answers. */
export const responseType = 2

/** Compiles the parser; `callbacks` are those of whoever runs it. */
export function loadLlhttp(callbacks: LlhttpCallbacks): Llhttp {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readBinary()), {
    env: {
      wasm_on_url: () => 0,
      wasm_on_status: () => 0,
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
  // What a WebAssembly module exports is known to nobody but its author.
  return exports as Llhttp
}

function readBinary(): Uint8Array<ArrayBuffer> {
  const binary: unknown = createRequire(import.meta.url)('undici/lib/llhttp/llhttp_simd-wasm.js')
  if (!(binary instanceof Uint8Array)) throw new Error('undici has no llhttp where it was')
  return new Uint8Array(binary)
}
