/**
 * What a process tells Prometheus, without the label `role` that is on every
 * series.
 *
 * @param management origin of its management listener
 */
export async function metricsOf(management: string): Promise<string> {
  return withoutRole(await (await fetch(`${management}/metrics`)).text())
}

export function withoutRole(metrics: string): string {
  return metrics.replaceAll(/\{role="[^"]*"\}|,role="[^"]*"(?=[,}])|(?<=\{)role="[^"]*",/g, '')
}
