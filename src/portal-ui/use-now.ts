import { useEffect, useState } from 'react'

/** The clock of the page in milliseconds since 1970, read again every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  // What was just loaded may be newer than the last tick.
  return Math.max(now, Date.now() - everyMs)
}
