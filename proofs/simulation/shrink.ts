import type { PlannedEvent, Schedule } from '../../test/simulation/schedule.ts'

/**
 * Finds a smaller schedule with the same fault: without events, gateways, then
 * with fewer calls at once. Removes parts of the list of events, by halves down
 * to single ones (delta debugging), for as long as that helps.
 *
 * @param isBroken whether the schedule still shows the fault
 */
export function shrink(schedule: Schedule, isBroken: (schedule: Schedule) => boolean): Schedule {
  let least = simplified(schedule, isBroken)
  for (;;) {
    const before = sizeOf(least)
    least = withoutEvents(least, isBroken)
    least = withoutGateways(least, isBroken)
    least = withFewerCalls(least, isBroken)
    if (sizeOf(least) === before) return least
  }
}

/** Without what only makes it harder to follow: packets that take different times, clocks that differ. */
function simplified(from: Schedule, isBroken: (schedule: Schedule) => boolean): Schedule {
  let least = from
  const { delay, gateways } = from
  const steps: Partial<Schedule>[] = [
    { delay: { least: delay.least, most: delay.least } },
    { gateways: gateways.map((gateway) => ({ ...gateway, drift: 0 })) },
    { gateways: gateways.map((gateway) => ({ ...gateway, drift: 0, clockOffsetMs: 0 })) },
    { lagMs: 1 },
    { configured: gateways.length },
  ]
  for (const step of steps) {
    const simpler = { ...least, ...step }
    if (isBroken(simpler)) least = simpler
  }
  return least
}

function withoutEvents(from: Schedule, isBroken: (schedule: Schedule) => boolean): Schedule {
  let least = from
  for (
    let length = Math.ceil(from.events.length / 2);
    length >= 1;
    length = Math.floor(length / 2)
  ) {
    for (let at = 0; at < least.events.length; ) {
      const events = least.events.toSpliced(at, length)
      const smaller = { ...least, events }
      if (isBroken(smaller)) least = smaller
      else at += length
    }
  }
  return least
}

/** Without the last gateway: the others keep their numbers. */
function withoutGateways(from: Schedule, isBroken: (schedule: Schedule) => boolean): Schedule {
  let least = from
  while (least.gateways.length > 1) {
    const gateways = least.gateways.slice(0, -1)
    const events = least.events.filter(
      (event) => !('gateway' in event) || event.gateway < gateways.length,
    )
    const smaller = { ...least, gateways, events }
    if (!isBroken(smaller)) return least
    least = smaller
  }
  return least
}

function withFewerCalls(from: Schedule, isBroken: (schedule: Schedule) => boolean): Schedule {
  let least = from
  for (const at of from.events.keys()) {
    for (;;) {
      const event = least.events[at]
      if (event?.kind !== 'calls' || event.times === 1) break
      const fewer: PlannedEvent = { ...event, times: event.times - 1 }
      const smaller = { ...least, events: least.events.with(at, fewer) }
      if (!isBroken(smaller)) break
      least = smaller
    }
  }
  return least
}

function sizeOf({ gateways, events }: Schedule): number {
  let calls = 0
  for (const event of events) calls += event.kind === 'calls' ? event.times : 1
  return gateways.length * 1000 + calls
}
