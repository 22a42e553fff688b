import { IntlMessageFormat } from 'intl-messageformat'
import type english from './en.json'
import { type Language, languageFacts } from './language.ts'

/** Names a message: `area.what`. */
export type MessageId = keyof typeof english

/** The messages of one language. */
export type Messages = Readonly<Record<MessageId, string>>

/** Whether a text is more than itself: most messages have no arguments, tags or quotes. */
function needsReading(text: string): boolean {
  return /[{<']/.test(text)
}

/** Values for the arguments of a message. */
export type MessageValues = Readonly<Record<string, string | number | Date>>

/** Writes messages in one language. */
export interface Words {
  readonly language: Language
  /** Whether there is a message with that id: for ids that contain an error code. */
  readonly knows: (id: string) => id is MessageId
  /** A message as text. Leaves out tags: use `parts` for a message that has some. */
  readonly t: (id: MessageId, values?: MessageValues) => string
  /** A message with elements, in order: texts, and what the functions for its tags and arguments make. */
  readonly parts: <Part>(id: MessageId, values: PartValues<Part>) => (string | Part)[]
}

/** Values of a message with elements: plain values, elements and, for each tag, what surrounds its content. */
export type PartValues<Part> = Readonly<
  Record<string, string | number | Date | Part | ((content: (string | Part)[]) => Part)>
>

/**
 * Formats the messages of a language (ICU MessageFormat). Reads each message
 * when it is first needed and keeps it.
 */
export function createWords(language: Language, messages: Messages): Words {
  const { locale, direction } = languageFacts[language]
  const formats = new Map<MessageId, IntlMessageFormat>()

  function formatOf(id: MessageId): IntlMessageFormat {
    const known = formats.get(id)
    if (known !== undefined) return known
    const format = new IntlMessageFormat(messages[id], locale)
    formats.set(id, format)
    return format
  }

  /** Texts from elsewhere keep their own direction in a line from right to left (FIRST STRONG ISOLATE, UAX #9). */
  function isolated(format: IntlMessageFormat, values: MessageValues = {}): MessageValues {
    if (direction === 'ltr') return values
    // What chooses a case is compared, not shown.
    const selectors = selectorsIn(format.getAst())
    const entries = Object.entries(values)
    return Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        typeof value === 'string' && !selectors.has(name) ? `\u2068${value}\u2069` : value,
      ]),
    )
  }

  return {
    language,
    knows: (id): id is MessageId => Object.hasOwn(messages, id),
    t: (id, values) => {
      const source = messages[id]
      if (!needsReading(source)) return source
      const format = formatOf(id)
      return String(format.format(isolated(format, values)))
    },
    parts: <Part>(id: MessageId, values: PartValues<Part>) => {
      const source = messages[id]
      if (!needsReading(source)) return [source]
      // The library's type also counts objects among values; a part is one for it.
      const made = formatOf(id).format<Part>(values as never)
      return (Array.isArray(made) ? made : [made]) as (string | Part)[]
    },
  }
}

/** The arguments that choose between the cases of a message. */
function selectorsIn(elements: ReturnType<IntlMessageFormat['getAst']>): ReadonlySet<string> {
  const names = elements.flatMap((element) => {
    if ('children' in element) return [...selectorsIn(element.children)]
    if (!('options' in element)) return []
    const inside = Object.values(element.options).flatMap(({ value }) => [...selectorsIn(value)])
    return 'pluralType' in element ? inside : [element.value, ...inside]
  })
  return new Set(names)
}
