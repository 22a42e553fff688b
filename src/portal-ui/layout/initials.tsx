import classes from './shell.module.css'

/** A person's initials in a circle, as decoration. */
export function Initials({ name }: { readonly name: string }) {
  // Drawn by the style sheet: the letters are not part of the name of a button.
  return <span className={classes['initials']} data-initials={initialsOf(name)} aria-hidden />
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word = '') => [...word][0]?.toUpperCase() ?? '').join('')
}
