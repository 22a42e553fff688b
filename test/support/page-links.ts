/** Markdown without its code blocks, whose contents are not links. */
export function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '')
}

/** Where the links and pictures of a page lead, without other sites. */
export function targetsOf(markdown: string): string[] {
  const found = withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)
  return [...found].map(([, link, picture]) => link ?? picture ?? '').filter(isOurs)
}

const isOurs = (target: string) => !/^[a-z]+:/.test(target)
