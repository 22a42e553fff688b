/** Milliseconds of the clock that never steps and that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** What to add to {@link monotonicMs} for milliseconds since 1970 by the clock of this machine. */
export function wallOffsetMs(): number {
  let offset = Number.NEGATIVE_INFINITY
  for (let tick = 0; tick < 20; tick += 1) {
    const before = Date.now()
    // Until a millisecond begins, because Date knows no finer ones.
    while (Date.now() === before);
    // Looking later than it began only makes it smaller.
    offset = Math.max(offset, Date.now() - monotonicMs())
  }
  return offset
}
