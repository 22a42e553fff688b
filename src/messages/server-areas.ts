/** First parts of the ids of messages that only the server writes: they are not in the page's script. */
export const serverAreas: readonly string[] = ['bank', 'document', 'mail', 'noscript', 'problems']
