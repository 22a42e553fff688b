import type { Limit, Operation } from '../../catalogue/catalogue.ts'

/**
 * Names what a limit counts for one application. The name holds stable
 * identifiers only: a changed limit keeps its count, and two window lengths
 * never share a count. The braces are a Redis Cluster hash tag. It puts all
 * buckets of an application into one slot, so one script call can decide
 * several limits.
 *
 * @returns
 * `tollgate:{<applicationId>}:<api>:<version>:<operationId>:<window length>`,
 * without the operation in scope `plan`
 */
export function bucketName(
  applicationId: string,
  operation: Pick<Operation, 'api' | 'version' | 'id'>,
  limit: Pick<Limit, 'scope' | 'windowLength'>,
): string {
  const counted = limit.scope === 'operation' ? `${operation.id}:` : ''
  return `tollgate:{${applicationId}}:${operation.api}:${operation.version}:${counted}${limit.windowLength}`
}

/** Names what a rehearsed limit counts: like {@link bucketName}, but apart from what is enforced. */
export function rehearsedBucketName(...limit: Parameters<typeof bucketName>): string {
  return `${bucketName(...limit)}:rehearsed`
}
