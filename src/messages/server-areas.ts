/** First parts of the ids of messages that only the server writes: they are not in the page's script. */
export const serverAreas: readonly string[] = [
  'bank',
  'document',
  'llms',
  'mail',
  'markdown',
  'noscript',
  'problems',
  'samples',
]
