import type { Plugin } from 'vite'

/** Where a portal runs while somebody works on the page: its default address. */
const portalUrl = 'http://127.0.0.1:8081'

/**
 * Lets Vite's own server, which shows a change of the page at once, stand
 * before a running portal: it fills the document in as the portal would and
 * hands the JSON API on.
 */
export function besidePortal(): Plugin {
  return {
    name: 'beside-portal',
    apply: 'serve',
    config: () => ({
      server: {
        proxy: {
          // The page's own `api/*.ts` are asked for below the same path.
          '^/(problems|reference)/|^/api/(?!.*[.]ts(?:[?]|$))': {
            target: portalUrl,
            // The portal takes changes from its own pages only.
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
          title: 'Tollgate for developers',
          boot: JSON.stringify({ carriesSession: true, facts: await answer.json() }),
        }
        return html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
      },
    },
  }
}
