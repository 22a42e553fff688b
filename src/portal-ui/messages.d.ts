/** What the first page shows; `build/page-messages.ts` chooses. */
declare module '*.json?first' {
  export const messages: Partial<import('../messages/format.ts').Messages>
}
