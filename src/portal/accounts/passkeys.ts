import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Language } from '../../messages/language.ts'
import type { Passkey } from '../stores/accounts/factors.ts'

/** What a new passkey brought. */
export type VerifiedPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

/** The developer for whom a browser makes a passkey. */
export interface PasskeyOwner {
  readonly id: string
  readonly email: string
  readonly name: string
  /** The language in which the browser names the bank. */
  readonly language: Language
}

/**
 * Passkeys (WebAuthn, level 3) for the host of the portal's own origin. A nonce
 * is base64url; what browsers send is JSON as `PublicKeyCredential.toJSON`
 * makes it.
 */
export interface Passkeys {
  /** Whether the portal's host has a name: an IP address cannot be a relying party. */
  isOffered(): boolean
  /** For `navigator.credentials.create`. Keys that the developer has are not registered again. */
  creationOptions(
    owner: PasskeyOwner,
    known: readonly Passkey[],
    nonce: string,
  ): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** Undefined when it does not answer this nonce for this portal. */
  verifyNew(response: unknown, nonce: string): Promise<VerifiedPasskey | undefined>
  /** For `navigator.credentials.get`. */
  requestOptions(
    known: readonly Passkey[],
    nonce: string,
  ): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** The passkey that signed the nonce, with its new counter; undefined when none of these did. */
  verify(response: unknown, known: readonly Passkey[], nonce: string): Promise<Passkey | undefined>
}

/** Loaded when the first person uses a passkey: its readers of ASN.1 and CBOR take time and memory at a start. */
const webauthn = () => import('@simplewebauthn/server')

export interface PasskeysOptions {
  /** The portal's own origin. */
  readonly portalUrl: () => string
  /** Name of the bank, which browsers show. */
  readonly brandName: (language: Language) => string
}

export function createPasskeys({ portalUrl, brandName }: PasskeysOptions): Passkeys {
  function relyingParty() {
    const { origin, hostname } = new URL(portalUrl())
    return { expectedOrigin: origin, expectedRPID: hostname }
  }

  return {
    isOffered: () => isIP(relyingParty().expectedRPID.replaceAll(/[[\]]/g, '')) === 0,

    async creationOptions(owner, known, nonce) {
      const { generateRegistrationOptions } = await webauthn()
      return generateRegistrationOptions({
        rpName: brandName(owner.language),
        rpID: relyingParty().expectedRPID,
        userID: Uint8Array.from(Buffer.from(owner.id.replaceAll('-', ''), 'hex')),
        userName: owner.email,
        userDisplayName: owner.name,
        challenge: bytesOf(nonce),
        attestationType: 'none',
        excludeCredentials: known.map(descriptorOf),
        // The password is the other factor, so a key without PIN or fingerprint suffices.
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      })
    },

    async verifyNew(response, nonce) {
      const { verifyRegistrationResponse } = await webauthn()
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        // The library checks every member it reads.
        response: response as RegistrationResponseJSON,
        expectedChallenge: nonce,
        ...relyingParty(),
        requireUserVerification: false,
      }).catch(refused)
      if (!verified || registrationInfo === undefined) return undefined
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey),
        counter,
        transports: transports.filter((name) => /^[a-z-]{1,20}$/.test(name)).slice(0, 8),
      }
    },

    async requestOptions(known, nonce) {
      const { generateAuthenticationOptions } = await webauthn()
      return generateAuthenticationOptions({
        rpID: relyingParty().expectedRPID,
        challenge: bytesOf(nonce),
        allowCredentials: known.map(descriptorOf),
        userVerification: 'preferred',
      })
    },

    async verify(response, known, nonce) {
      // The library checks every other member it reads.
      const given = response as AuthenticationResponseJSON
      const passkey = known.find(({ credentialId }) => credentialId === given.id)
      if (passkey === undefined) return undefined
      const { verifyAuthenticationResponse } = await webauthn()
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: given,
        expectedChallenge: nonce,
        ...relyingParty(),
        requireUserVerification: false,
        credential: {
          id: passkey.credentialId,
          publicKey: Uint8Array.from(passkey.publicKey),
          counter: passkey.counter,
        },
      }).catch(refused)
      if (!verified || authenticationInfo === undefined) return undefined
      return { ...passkey, counter: authenticationInfo.newCounter }
    },
  }
}

/** The library throws for most of what it refuses: a foreign origin, another nonce, a counter that went back, no CBOR. */
function refused() {
  return { verified: false, registrationInfo: undefined, authenticationInfo: undefined }
}

function descriptorOf({ credentialId, transports }: Passkey) {
  // Names that the browser gave; unknown ones it ignores (WebAuthn, 5.8.4).
  return { id: credentialId, transports: transports as [] }
}

/** The library encodes a text again, and takes bytes as they are. */
function bytesOf(nonce: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(nonce, 'base64url'))
}
