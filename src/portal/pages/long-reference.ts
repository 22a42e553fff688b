/** With more operations, a reference takes longer to arrive than a reader of one operation wants to wait. */
const operationsMax = 100

/**
 * Whether a page gets the reference of a version in parts: one operation at a
 * time, where a short one is there as a whole, so that the next operation shows at once.
 */
export function isLongReference(version: { readonly operations: readonly unknown[] }): boolean {
  return version.operations.length > operationsMax
}
