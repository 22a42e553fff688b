/** The number of gateways in every experiment; their GATEWAY_PROCESSES, by which a gateway without Redis divides limits. */
export const gatewayCount = 4

/** The index of each gateway: 0 to 3. */
export const gatewayIndexes: readonly number[] = Array.from(
  { length: gatewayCount },
  (_, index) => index,
)
