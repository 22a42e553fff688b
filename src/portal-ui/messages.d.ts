/** What the public pages show; `build/page-messages.ts` chooses. */
declare module '*.json?first' {
  export const messages: Partial<import('../messages/format.ts').Messages>
}

/** All others. */
declare module '*.json?rest' {
  export const messages: Partial<import('../messages/format.ts').Messages>
}
