/**
 * Splits a secret that is replaced without a gap: several between commas. The
 * first is used, and all are accepted.
 */
export function splitSecrets(text: string): readonly string[] {
  return text.split(',').map((secret) => secret.trim())
}

/** What is wrong with a list of secrets, in words that follow its name; undefined: nothing. */
export function secretListProblem(text: string, lengthMin: number): string | undefined {
  const secrets = splitSecrets(text)
  if (secrets.some((secret) => secret.length < lengthMin)) {
    const subject = secrets.length === 1 ? 'is' : 'has a secret that is'
    return `${subject} shorter than ${lengthMin} characters (value not shown)`
  }
  return new Set(secrets).size === secrets.length ? undefined : 'has the same secret twice'
}
