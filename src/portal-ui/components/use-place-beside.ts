import { type RefObject, useLayoutEffect } from 'react'

/** Pixels between what is placed and what it belongs to, and at least to the edge of the window. */
const gap = 4

export interface PlaceBesideOptions {
  /** Fixed to the window. */
  readonly placed: RefObject<HTMLElement | null>
  /** Id of what it belongs to. */
  readonly besideId: string
  /** The edge at which both begin or end. */
  readonly edge: 'start' | 'end'
  readonly isOpen: boolean
  /** Called when it has its place. */
  readonly onPlaced?: () => void
}

/** Places an element below another one, or above it where there is more room, and within the window; also when the page scrolls. */
export function usePlaceBeside(options: PlaceBesideOptions): void {
  const { placed, besideId, edge, isOpen, onPlaced } = options

  // biome-ignore lint/correctness/useExhaustiveDependencies: called when it opens, not when the function changes
  useLayoutEffect(() => {
    if (!isOpen) return
    const place = () => {
      const beside = document.getElementById(besideId)
      if (placed.current !== null && beside !== null) placeBeside(placed.current, beside, edge)
    }
    place()
    onPlaced?.()
    window.addEventListener('resize', place)
    window.addEventListener('scroll', place, { capture: true, passive: true })
    return () => {
      window.removeEventListener('resize', place)
      window.removeEventListener('scroll', place, { capture: true })
    }
  }, [placed, besideId, edge, isOpen])
}

function placeBeside(placed: HTMLElement, beside: HTMLElement, edge: 'start' | 'end'): void {
  const { top, bottom, left, right } = beside.getBoundingClientRect()
  const { width, height } = placed.getBoundingClientRect()
  const { clientWidth, clientHeight, dir } = document.documentElement
  const wantedLeft = (edge === 'start') === (dir !== 'rtl') ? left : right - width
  const isBelow = bottom + gap + height <= clientHeight || top < clientHeight - bottom
  const wantedTop = isBelow ? bottom + gap : top - gap - height
  placed.style.left = `${within(wantedLeft, clientWidth - width)}px`
  placed.style.top = `${within(wantedTop, clientHeight - height)}px`
}

function within(wanted: number, max: number): number {
  return Math.max(gap, Math.min(wanted, max - gap))
}
