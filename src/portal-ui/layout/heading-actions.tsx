import { createContext, type ReactNode, use } from 'react'
import { createPortal } from 'react-dom'

/** The element next to the heading of a page; null until it is rendered. */
export const HeadingPlace = createContext<Element | null>(null)

/** Puts what a part of a page can do beside the heading, which the page draws. */
export function HeadingActions({ children }: { readonly children: ReactNode }) {
  const place = use(HeadingPlace)
  return place === null ? null : createPortal(children, place)
}
