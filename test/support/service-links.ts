/**
 * The variables that Kubernetes sets in every container of a namespace for its
 * services, as `docker --link` did, unless the pod has `enableServiceLinks:
 * false`.
 *
 * @param services their ports, by name
 */
export function serviceLinks(services: Readonly<Record<string, number>>): Record<string, string> {
  const links = Object.entries(services).flatMap(([name, port], index) => {
    const prefix = name.toUpperCase().replaceAll('-', '_')
    const ip = `10.96.0.${index + 10}`
    return Object.entries({
      [`${prefix}_SERVICE_HOST`]: ip,
      [`${prefix}_SERVICE_PORT`]: String(port),
      [`${prefix}_SERVICE_PORT_HTTP`]: String(port),
      [`${prefix}_PORT`]: `tcp://${ip}:${port}`,
      [`${prefix}_PORT_${port}_TCP`]: `tcp://${ip}:${port}`,
      [`${prefix}_PORT_${port}_TCP_ADDR`]: ip,
      [`${prefix}_PORT_${port}_TCP_PORT`]: String(port),
      [`${prefix}_PORT_${port}_TCP_PROTO`]: 'tcp',
    })
  })
  return Object.fromEntries(links)
}

/** Services with the names of Tollgate's listeners, and others that a namespace may have. */
export const roleServices: Readonly<Record<string, number>> = {
  kubernetes: 443,
  redis: 6379,
  database: 5432,
  tollgate: 8080,
  gateway: 8080,
  portal: 8081,
  backend: 8082,
  sca: 8083,
  management: 9090,
}
