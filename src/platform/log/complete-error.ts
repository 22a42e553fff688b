/**
 * An error whose message says what happened, where and what to do. Its cause
 * has the same in a library's words, and is for developers only.
 */
export class CompleteError extends Error {}
