/** How many gateways: N of the local share. */
export const gatewayCount = 4

/** One number for each gateway. */
export const places: readonly number[] = Array.from({ length: gatewayCount }, (_, place) => place)
