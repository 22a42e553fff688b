import type { Plugin } from 'vite'

/**
 * Moves the links to styles and scripts below the content of the document, so
 * that a browser paints what the document itself contains before they arrive.
 */
export function lateStyles(): Plugin {
  return {
    name: 'late-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const links: string[] = []
        const rest = html.replaceAll(
          /\s*(?:<link rel="(?:stylesheet|modulepreload)"[^>]*>|<script type="module"[^>]*><\/script>)/g,
          (link) => {
            links.push(link.trim())
            return ''
          },
        )
        // Styles first: a script waits for those before it.
        const ordered = links.toSorted(
          (a, b) => Number(a.startsWith('<script')) - Number(b.startsWith('<script')),
        )
        return rest.replace('<!-- late -->', () => ordered.join('\n    '))
      },
    },
  }
}
