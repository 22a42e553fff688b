import { useState } from 'react'
import { flushSync } from 'react-dom'

/** One of several dialogs: which was opened last, and whether it is open. The others need not be there. */
export function useDialog<Name>() {
  const [name, setName] = useState<Name>()
  const [isOpen, setIsOpen] = useState(false)
  return {
    name,
    isOpen,
    open: (chosen: Name) => {
      // It is there before it opens, so that it knows where the focus was.
      flushSync(() => setName(chosen))
      setIsOpen(true)
    },
    close: () => setIsOpen(false),
  }
}
