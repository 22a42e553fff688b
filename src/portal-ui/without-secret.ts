/** A text in which each API key is cut to its public part: the whole key belongs in no address and in no log. */
export function withoutSecret(text: string): string {
  return text.replaceAll(/(tg_[0-9A-Za-z]{12})_[0-9A-Za-z]*/g, '$1')
}
