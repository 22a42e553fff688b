/**
 * Milliseconds of the processor that the work takes: what else the machine and other threads do is not in it. The work must
 * be synchronous, so a function that returns a promise does not compile.
 */
export function processorMs<Result>(
  work: () => Result extends PromiseLike<unknown> ? never : Result,
): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
