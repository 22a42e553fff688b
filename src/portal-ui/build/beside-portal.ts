import type { Plugin } from 'vite'

/** The portal's default address, used during development of the page. */
const portalUrl = 'http://127.0.0.1:8081'

/**
 * Puts Vite's development server, which shows every change at once, in front of
 * a running portal. It fills in the document as the portal would and forwards
 * the JSON API.
 */
export function besidePortal(): Plugin {
  return {
    name: 'beside-portal',
    apply: 'serve',
    config: () => ({
      server: {
        proxy: {
          // The browser loads the page's own `api/*.ts` below the same path.
          '^/(problems|reference)/|^/api/(?!.*[.]ts(?:[?]|$))': {
            target: portalUrl,
            // The portal accepts changes only from its own pages.
            headers: { origin: portalUrl },
          },
        },
      },
    }),
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        const answer = await fetch(`${portalUrl}/api/portal`)
        const values: Record<string, string> = {
          language: 'en',
          direction: 'ltr',
          title: 'Developers',
          boot: JSON.stringify({ carriesSession: true, facts: await answer.json() }),
        }
        return html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
      },
    },
  }
}
