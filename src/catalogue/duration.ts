const secondsMax = 365 * 86_400

/**
 * Reads an ISO 8601 duration of fixed length, `PT1S` to `P365D`, as seconds:
 * weeks alone (`P1W`), or days, hours, minutes and whole seconds (`P1DT12H`).
 * Years and months have no fixed length, so they cannot be a window.
 *
 * @returns undefined for anything else
 */
export function parseDuration(text: string): number | undefined {
  const weeks = /^P([0-9]{1,8})W$/.exec(text)?.[1]
  if (weeks !== undefined) return inRange(Number(weeks) * 7 * 86_400)
  const parts =
    /^P(?=[0-9T])(?:([0-9]{1,8})D)?(?:T(?=[0-9])(?:([0-9]{1,8})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,8})S)?)?$/.exec(
      text,
    )
  if (parts === null) return undefined
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts
  return inRange(
    Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds),
  )
}

function inRange(seconds: number): number | undefined {
  return seconds >= 1 && seconds <= secondsMax ? seconds : undefined
}
