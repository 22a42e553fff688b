/** The gateway's name in `Via` (RFC 9110, 7.6.3), by which it detects forwarding loops. */
export const via = '1.1 tollgate'
