import { t } from '../words.ts'
import { ApiFailure } from './client.ts'

/** WebAuthn JSON. */
type Json = Readonly<Record<string, unknown>>

/** Whether this browser makes and uses passkeys, with options in JSON (WebAuthn, level 3). */
export function supportsPasskeys(): boolean {
  return (
    window.isSecureContext &&
    typeof PublicKeyCredential === 'function' &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential
  )
}

/** Lets the browser make a passkey. @throws {ApiFailure} PASSKEY_FAILED, with what to do */
export async function createPasskey(options: Json): Promise<Record<string, unknown>> {
  // The portal made the options for this call.
  const parsed = options as unknown as PublicKeyCredentialCreationOptionsJSON
  return answerOf(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(parsed),
    }),
  )
}

/** Lets the browser sign with a passkey. @throws {ApiFailure} PASSKEY_FAILED, with what to do */
export async function signWithPasskey(options: Json): Promise<Record<string, unknown>> {
  // The portal made the options for this call.
  const parsed = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return answerOf(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(parsed),
    }),
  )
}

async function answerOf(ask: () => Promise<Credential | null>): Promise<Record<string, unknown>> {
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return { ...credential.toJSON() }
  } catch (error) {
    throw failed(error instanceof DOMException ? error.name : '')
  }
  throw failed('')
}

/** @param name of the browser's error (WebAuthn, 5.1.3 and 5.1.4) */
function failed(name: string): ApiFailure {
  const details: Readonly<Record<string, string>> = {
    InvalidStateError: t('passkey.already'),
    SecurityError: t('passkey.address'),
  }
  return new ApiFailure({
    type: 'about:blank',
    title: t('passkey.notUsed'),
    status: 0,
    detail: details[name] ?? t('passkey.cancelled'),
    instance: '',
    code: 'PASSKEY_FAILED',
  })
}
