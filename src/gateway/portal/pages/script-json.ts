/**
 * JSON to stand in a `<script>` of an HTML document: nothing in it ends the
 * element or begins a comment (HTML, 4.12.1.3).
 */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
