import type { Brand } from './brand/brand.ts'
import type { ApiVersion, Catalogue, Plan } from './catalogue.ts'
import { frozenMap } from './frozen-map.ts'
import { deepFreeze } from './json.ts'

/** A catalogue as it travels to another process of the same program: data only, for structured cloning. */
export interface TransferredCatalogue {
  readonly versions: readonly (readonly [string, ApiVersion])[]
  readonly plans: readonly (readonly [string, Plan])[]
  readonly brand: Brand
  readonly digest: string
}

/** Makes a catalogue ready to travel. */
export function packCatalogue(catalogue: Catalogue): TransferredCatalogue {
  const { versions, plans, ...rest } = catalogue
  return { ...rest, versions: [...versions], plans: [...plans] }
}

/**
 * Makes the catalogue that was packed, frozen as the one it was made from. It
 * was checked where it was loaded: never give it anything but what another
 * process of ours packed.
 */
export function unpackCatalogue(packed: TransferredCatalogue): Catalogue {
  const { versions, plans, brand, digest } = packed
  return Object.freeze({
    digest,
    versions: frozenMap(deepFreeze(versions)),
    plans: frozenMap(deepFreeze(plans)),
    brand: deepFreeze(brand),
  })
}
