/**
 * The larger number when `npm run test:bank` asks for it (BANK_TESTS=full),
 * else the smaller one: random tests find the same in several short runs as in a
 * long one, and everything together has to fit into the time of a landing.
 */
export function numberOf(full: number, usual: number): number {
  return process.env['BANK_TESTS'] === 'full' ? full : usual
}
