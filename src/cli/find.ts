import { nearestName } from '../platform/edit-distance.ts'
import type {
  IdKind,
  ListedApplication,
  ListedDeveloper,
} from '../portal/stores/figures/directory.ts'
import type { Stores } from '../portal/stores/stores.ts'
import { type EntityKind, RegistryNotFound } from '../registry/registry-errors.ts'
import { CommandError } from './command-error.ts'
import { printable } from './output.ts'

/**
 * Finds an application by its id, the first characters of its id (four or
 * more), or its name, all in any case.
 *
 * @throws {RegistryNotFound}
 * @throws {CommandError} listing those that match; else those that contain the text, or have the nearest name
 */
export async function findApplication(
  { directory }: Pick<Stores, 'directory'>,
  reference: string,
): Promise<ListedApplication> {
  const search = (text?: string) => directory.applications({ search: text, limit: 1000 })
  return only('application', reference, search, ({ name }) => name, describeApplication)
}

/**
 * Finds a developer by email address, id or the first characters of the id,
 * in any case.
 *
 * @throws as {@link findApplication}
 */
export async function findDeveloper(
  { directory }: Pick<Stores, 'directory'>,
  reference: string,
): Promise<ListedDeveloper> {
  const search = (text?: string) => directory.developers({ search: text, limit: 1000 })
  const describe = ({ id, email }: ListedDeveloper) => `${email} (${id})`
  return only('developer', reference, search, ({ email }) => email, describe)
}

/**
 * Completes the id of a key, a subscription or an override. Returns the
 * reference itself when no id begins with it.
 *
 * @throws {CommandError} when several ids begin with it: the message lists them
 */
export async function findId(
  { directory }: Pick<Stores, 'directory'>,
  kind: IdKind,
  reference: string,
): Promise<string> {
  const ids = await directory.idsBeginning(kind, reference)
  const [id = reference] = ids
  if (ids.length > 1 && !ids.includes(reference)) throw ambiguous(kind, reference, ids)
  return ids.includes(reference) ? reference : id
}

/**
 * A whole id wins. Otherwise a name and the beginning of an id count alike: an
 * application can be named like the beginning of another one's id.
 */
async function only<Item extends { readonly id: string }>(
  kind: EntityKind,
  reference: string,
  search: (text?: string) => Promise<readonly Item[]>,
  nameOf: (item: Item) => string,
  describe: (item: Item) => string,
): Promise<Item> {
  const wanted = reference.toLowerCase()
  const found = await search(wanted)
  const fits = (item: Item) =>
    nameOf(item).toLowerCase() === wanted || (wanted.length >= 4 && item.id.startsWith(wanted))
  const whole = found.find(({ id }) => id === wanted)
  const [first, ...others] = whole === undefined ? found.filter(fits) : [whole]
  if (first === undefined) {
    const similar = found.length > 0 ? found : nearestOf(await search(), wanted, nameOf)
    throw unknown(kind, reference, similar.map(describe))
  }
  if (others.length > 0) throw ambiguous(kind, reference, [first, ...others].map(describe))
  return first
}

function nearestOf<Item>(
  items: readonly Item[],
  wanted: string,
  nameOf: (item: Item) => string,
): readonly Item[] {
  const names = items.map((item) => nameOf(item).toLowerCase())
  const nearest = nearestName(wanted, names)
  return items.filter((_, at) => names[at] === nearest)
}

function describeApplication({ id, name, developerEmail }: ListedApplication): string {
  return `${name} of ${developerEmail} (${id})`
}

function unknown(kind: EntityKind, reference: string, similar: readonly string[]): Error {
  if (similar.length === 0) return new RegistryNotFound(kind, reference)
  return new CommandError(`no ${kind} "${reference}"; similar:${listed(similar)}`)
}

function ambiguous(kind: EntityKind, reference: string, fitting: readonly string[]): CommandError {
  return new CommandError(`${kind} "${reference}" is ambiguous, give the id:${listed(fitting)}`)
}

function listed(items: readonly string[]): string {
  return items
    .slice(0, 10)
    .map((text) => `\n  ${printable(text)}`)
    .join('')
}
