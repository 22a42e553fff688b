/**
 * A whole HTML document of the portal, readable without script.
 *
 * @param title plain text
 * @param body HTML, already escaped
 */
export function page(title: string, body: string): string {
  const heading = escapeHtml(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} · Tollgate</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8886; vertical-align: top; }
code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>${heading}</h1>
${body}
</body>
</html>
`
}

/** The Content-Security-Policy of these pages: nothing but their own style. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
