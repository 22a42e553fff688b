import * as asn1js from 'asn1js'
import { type Psd2Role, psd2Roles } from './psd2-role.ts'

/** The object identifier of the statement: `id-etsi-psd2-qcStatement`. */
export const psd2StatementId = '0.4.0.19495.2'

/** What a certificate says about its subject as a payment service provider. */
export interface Psd2Statement {
  /** Without roles that Tollgate does not know: those grant nothing here. */
  readonly roles: readonly Psd2Role[]
  /** The name of the competent authority, 1 to 256 characters. */
  readonly authorityName: string
  /** The id of the authority: two letters for the country, a hyphen and two to eight letters (`PL-PFSA`). */
  readonly authorityId: string
}

/**
 * Reads the statementInfo of a PSD2 statement (ETSI TS 119 495, 5.1):
 *
 *     PSD2QcType ::= SEQUENCE { rolesOfPSP RolesOfPSP, nCAName NCAName, nCAId NCAId }
 *     RolesOfPSP ::= SEQUENCE OF SEQUENCE { roleOfPspOid OBJECT IDENTIFIER, roleOfPspName UTF8String }
 *
 * The object identifier of a role counts, even if its name contradicts it.
 *
 * @returns undefined if `info` is malformed
 */
export function readPsd2Statement(info: unknown): Psd2Statement | undefined {
  const [roles, name, id, ...rest] = membersOf(info)
  const authorityName = textOf(name) ?? ''
  const authorityId = textOf(id) ?? ''
  if (rest.length > 0 || !(roles instanceof asn1js.Sequence)) return undefined
  if (authorityName === '' || authorityName.length > 256) return undefined
  if (!/^[A-Z]{2}-[A-Z]{2,8}$/.test(authorityId)) return undefined
  const ids = membersOf(roles).map((role) => {
    const [oid, roleName, ...more] = membersOf(role)
    const isRole = more.length === 0 && textOf(roleName) !== undefined
    return isRole && oid instanceof asn1js.ObjectIdentifier ? oid.getValue() : undefined
  })
  if (ids.length === 0 || ids.includes(undefined)) return undefined
  return {
    roles: psd2Roles.filter((role) => ids.includes(idOf(role))),
    authorityName,
    authorityId,
  }
}

/** Writes the statementInfo that {@link readPsd2Statement} reads. */
export function writePsd2Statement(statement: Psd2Statement): asn1js.Sequence {
  const text = (value: string) => new asn1js.Utf8String({ value })
  return new asn1js.Sequence({
    value: [
      new asn1js.Sequence({
        value: statement.roles.map(
          (role) =>
            new asn1js.Sequence({
              value: [new asn1js.ObjectIdentifier({ value: idOf(role) }), text(role)],
            }),
        ),
      }),
      text(statement.authorityName),
      text(statement.authorityId),
    ],
  })
}

/** The object identifier of a role: `id-etsi-psd2-roles` and the role's number, from 1. */
function idOf(role: Psd2Role): string {
  return `0.4.0.19495.1.${psd2Roles.indexOf(role) + 1}`
}

function membersOf(block: unknown): readonly unknown[] {
  return block instanceof asn1js.Sequence ? block.valueBlock.value : []
}

function textOf(block: unknown): string | undefined {
  return block instanceof asn1js.Utf8String ? block.getValue() : undefined
}
