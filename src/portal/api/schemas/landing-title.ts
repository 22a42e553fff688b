/** The message that heads the first page: of a bank's products, or of whatever is published. */
export function landingTitle(
  front: { readonly hasProducts: boolean } | undefined,
): 'landing.title' | 'landing.titleOfApis' {
  return front?.hasProducts === false ? 'landing.titleOfApis' : 'landing.title'
}
