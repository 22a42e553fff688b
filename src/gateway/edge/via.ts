/** How the gateway names itself in `Via` (RFC 9110, 7.6.3), by which it knows calls that come back. */
export const via = '1.1 tollgate'
