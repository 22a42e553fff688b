import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { languageOf } from '../../../messages/language.ts'
import { proveSession } from '../../accounts/begin-session.ts'
import { checkNewFactor } from '../../accounts/new-factor.ts'
import { newNonce } from '../../accounts/open-challenge.ts'
import { createRecoveryCodes } from '../../accounts/recovery-codes.ts'
import { sessionEnded } from '../../accounts/session-answer.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import type { NewFactor } from '../../stores/accounts/factors.ts'
import { withInstants } from '../answers.ts'
import { conflict, notFound, type PortalError } from '../portal-error.ts'
import { signedIn, signedInAtProvider } from '../request.ts'
import { Empty } from '../schemas/common.ts'
import {
  Factors,
  PasskeyConfirmation,
  PasskeyOffer,
  RecoveryCodes,
  TotpConfirmation,
  TotpOffer,
} from '../schemas/factors.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the passkey' }) })
const root = '/api/session/factors'

/** The second factors of the signed-in developer. Each change needs a proof and sends a mail. Needs a session. */
export function registerFactors(
  app: PortalApp,
  services: Needs<
    'totp' | 'passkeys' | 'mails' | 'isFactorRequired' | 'now',
    'factorChallenges' | 'factors' | 'sessions'
  >,
): void {
  const { stores, totp, passkeys, mails, isFactorRequired, now } = services
  const { factors, factorChallenges } = stores
  const config = { needsProof: 'always' } as const

  app.get(
    root,
    {
      schema: {
        operationId: 'getFactors',
        summary: 'Read your second factors',
        response: { 200: Factors },
      },
    },
    async (request) => {
      const found = await factors.find(signedIn(request).id)
      return {
        totp: found.totp === null ? null : withInstants(timesOf(found.totp)),
        passkeys: found.passkeys.map(({ id, name, ...passkey }) => ({
          id,
          name,
          ...withInstants(timesOf(passkey)),
        })),
        recoveryCodesLeft: found.recoveryCodesLeft,
        isRequired: isFactorRequired || signedIn(request).isOperator,
        offersPasskeys: passkeys.isOffered(),
      }
    },
  )

  app.post(
    `${root}/totp`,
    {
      schema: {
        operationId: 'offerTotp',
        summary: 'Get a secret for an authenticator app',
        response: { 200: TotpOffer },
        problems: ['CONFLICT'],
      },
      config,
    },
    async (request) => {
      if (signedInAtProvider(request)) throw factorsAtProvider()
      const { id: developerId, email } = signedIn(request)
      if ((await factors.find(developerId)).totp !== null) throw appExists()
      const language = languageOf(request.headers)
      const { sealed, secret, uri } = totp.create({ developerId, email, language })
      const nonce = newNonce()
      const opened = await factorChallenges.open({
        purpose: 'totp',
        developerId,
        nonce,
        sealedSecret: sealed,
      })
      return { token: opened.token, secret, uri }
    },
  )

  app.post(
    `${root}/totp/confirm`,
    {
      schema: {
        operationId: 'confirmTotp',
        summary:
          'Add the authenticator app with its code; the first second factor brings recovery codes and ends your other sessions',
        body: TotpConfirmation,
        response: { 200: RecoveryCodes },
        problems: ['SECOND_FACTOR_INVALID', 'CHALLENGE_EXPIRED', 'CONFLICT'],
      },
      config,
    },
    async (request) => {
      const factor = await checkNewFactor(services, 'totp', signedIn(request).id, request.body)
      return add(request, factor)
    },
  )

  app.delete(
    `${root}/totp`,
    {
      schema: {
        operationId: 'removeTotp',
        summary: 'Remove your authenticator app',
        response: { 204: Empty },
        problems: ['NOT_FOUND', 'CONFLICT'],
      },
      config,
    },
    (request) => remove(signedIn(request).id, { kind: 'totp' }),
  )

  app.post(
    `${root}/passkeys`,
    {
      schema: {
        operationId: 'offerPasskey',
        summary: 'Get the options with which a browser makes a passkey',
        response: { 200: PasskeyOffer },
        problems: ['CONFLICT'],
      },
      config,
    },
    async (request) => {
      if (signedInAtProvider(request)) throw factorsAtProvider()
      const developer = signedIn(request)
      if (!passkeys.isOffered()) throw notOffered()
      const known = (await factors.find(developer.id)).passkeys
      const nonce = newNonce()
      const passkey = await passkeys.creationOptions(
        { ...developer, language: languageOf(request.headers) },
        known,
        nonce,
      )
      const opened = await factorChallenges.open({
        purpose: 'passkey',
        developerId: developer.id,
        nonce,
      })
      return { token: opened.token, passkey: { ...passkey } }
    },
  )

  app.post(
    `${root}/passkeys/confirm`,
    {
      schema: {
        operationId: 'confirmPasskey',
        summary:
          'Add the passkey that the browser made; the first second factor brings recovery codes and ends your other sessions',
        body: PasskeyConfirmation,
        response: { 200: RecoveryCodes },
        problems: ['SECOND_FACTOR_INVALID', 'CHALLENGE_EXPIRED', 'CONFLICT'],
      },
      config,
    },
    async (request) => {
      const factor = await checkNewFactor(services, 'passkey', signedIn(request).id, request.body)
      return add(request, factor)
    },
  )

  app.delete(
    `${root}/passkeys/:id`,
    {
      schema: {
        operationId: 'removePasskey',
        summary: 'Remove a passkey',
        params: Params,
        response: { 204: Empty },
        problems: ['CONFLICT'],
      },
      config,
    },
    (request) => remove(signedIn(request).id, { kind: 'passkey', id: request.params.id }),
  )

  app.post(
    `${root}/recovery-codes`,
    {
      schema: {
        operationId: 'replaceRecoveryCodes',
        summary: 'Replace your recovery codes; only this response contains them',
        response: { 200: RecoveryCodes },
        problems: ['NOT_FOUND'],
      },
      config,
    },
    async (request) => {
      const { codes, hashes } = createRecoveryCodes()
      const isReplaced = await factors.replaceRecoveryCodes({
        developerId: signedIn(request).id,
        recoveryHashes: hashes,
        at: new Date(now()),
        outbox: mails.outbox,
      })
      if (!isReplaced) throw notFound()
      return { recoveryCodes: [...codes] }
    },
  )

  async function add(request: FastifyRequest, factor: NewFactor) {
    const { codes, hashes } = createRecoveryCodes()
    const areNew = await factors.add({
      developerId: signedIn(request).id,
      sessionId: request.session.sessionId,
      factor,
      recoveryHashes: hashes,
      at: new Date(now()),
      outbox: mails.outbox,
    })
    // The session is now one with a second factor: a copy of its old id must not become one, too.
    if (!(await proveSession(stores.sessions, request, factor.kind))) throw sessionEnded()
    return { recoveryCodes: areNew ? [...codes] : [] }
  }

  async function remove(
    developerId: string,
    factor: Parameters<typeof factors.remove>[0]['factor'],
  ): Promise<null> {
    const isRemoved = await factors.remove({
      developerId,
      factor,
      isRequired: isFactorRequired,
      at: new Date(now()),
      outbox: mails.outbox,
    })
    if (!isRemoved) throw notFound()
    return null
  }
}

function timesOf({ createdAt, lastUsedAt }: { createdAt: Date; lastUsedAt: Date | null }) {
  return { createdAt, lastUsedAt }
}

function appExists(): PortalError {
  return conflict('factor-exists', 'You already have an authenticator app. Remove it first.')
}

function factorsAtProvider(): PortalError {
  return conflict(
    'factors-at-provider',
    'You sign in through another service. Set up your second factor there.',
  )
}

function notOffered(): PortalError {
  return conflict(
    'passkeys-not-offered',
    'Passkeys need a portal with a host name. This portal’s address is an IP address.',
  )
}
