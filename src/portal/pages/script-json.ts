/**
 * Escapes JSON for a `<script>` of an HTML document, so that no value can end
 * the element or begin a comment (HTML, 4.12.1.3).
 */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
