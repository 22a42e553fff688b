/**
 * Milliseconds of the processor that the work takes: what else the machine does is not in it. The work must be
 * synchronous, so a function that returns a promise does not compile.
 */
export function processorMs<Result>(
  work: () => Result extends PromiseLike<unknown> ? never : Result,
): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
