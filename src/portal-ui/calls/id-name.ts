/** One name for the spellings of an id: `Consent-ID` and `consentId`. */
export function idName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}
