import type { Plugin } from 'vite'
import { serverAreas } from '../../messages/server-areas.ts'

/** Leaves the messages that only the server writes out of the page's script. */
export function pageMessages(): Plugin {
  return {
    name: 'page-messages',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/src\/messages\/\w+\.json$/.test(id)) return undefined
      const messages: object = JSON.parse(code)
      const own = Object.entries(messages).filter(
        ([name]) => !serverAreas.some((area) => name.startsWith(`${area}.`)),
      )
      return { code: JSON.stringify(Object.fromEntries(own)), map: null }
    },
  }
}
