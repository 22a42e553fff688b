import type { Page } from 'playwright-core'

/**
 * Texts and controls that the window does not show whole: beyond its edges, or within a box that hides what does not
 * fit into its width. Not what is only for screen readers, what a box lets the reader scroll to, or what is shortened with
 * an ellipsis, or what a field moves along.
 */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth
    const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
    const isShortened = (element) => element.matches('input, textarea, select') || getComputedStyle(element).textOverflow === 'ellipsis' && !element.matches('.mantine-Button-label')
    const isForReaders = (element) => {
      const { width, height } = element.getBoundingClientRect()
      return width <= 1 || height <= 1
    }
    const found = new Set()
    const tell = (element, why) => {
      const { left, right } = element.getBoundingClientRect()
      const words = (element.innerText || element.getAttribute('aria-label') || '').trim().slice(0, 60)
      found.add(why + ': ' + element.tagName.toLowerCase() + '.' + element.className + ' ' + Math.round(left) + '-' +
        Math.round(right) + ' "' + words + '"')
    }
    for (const element of document.body.querySelectorAll('*')) {
      const hasText = [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== '')
      if (!hasText && !element.matches('a, button, input, select, textarea, img, svg[role="img"]')) continue
      if (!isShown(element) || isForReaders(element)) continue
      const { left, right } = element.getBoundingClientRect()
      let isReachable = false
      for (let box = element; box !== null && box !== document.body && !isReachable; box = box.parentElement) {
        if (scrolls(box) || isForReaders(box) || isShortened(box)) isReachable = true
        else if (getComputedStyle(box).overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1) {
          const inner = box.getBoundingClientRect()
          if (box === element || left < inner.left - 1 || right > inner.right + 1) tell(element, 'hidden')
          isReachable = true
        }
      }
      if (!isReachable && (left < -1 || right > width + 1)) tell(element, 'beyond the window')
    }
    return [...found]
  })()`)
}
