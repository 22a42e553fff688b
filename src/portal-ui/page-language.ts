/** The language of the page's texts; dates and numbers follow it, not the browser's language. */
export const pageLanguage = 'en-GB'
