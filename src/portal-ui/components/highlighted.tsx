import classes from './highlighted.module.css'

/** Comments, texts, and words that begin a command or a statement. The rest stays unchanged. */
const token =
  /(?<comment>(?:^|(?<=\n))(?:#|\/\/)[^\n]*)|(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<word>\b(?:curl|await|const|for|of|if|throw|new|import|in|not|raise|do|done|print|null|true|false|None|True|False)\b)|(?<number>(?<![\w.-])\d+(?:\.\d+)?(?![\w-]))/g

/** Source code of any of our languages, or JSON, with its texts and comments in colour. */
export function Highlighted({ source }: { readonly source: string }) {
  const parts = []
  let end = 0
  for (const match of source.matchAll(token)) {
    if (match.index > end) parts.push(source.slice(end, match.index))
    const [kind = 'text'] = Object.entries(match.groups ?? {}).find(([, found]) => found) ?? []
    parts.push(
      <span key={match.index} className={classes[kind]}>
        {match[0]}
      </span>,
    )
    end = match.index + match[0].length
  }
  return [...parts, source.slice(end)]
}
