/** Adds up amounts by name; a name at 0 takes no memory. */
export class Tally {
  readonly #sums = new Map<string, number>()

  of(name: string): number {
    return this.#sums.get(name) ?? 0
  }

  add(name: string, amount = 1): void {
    this.#sums.set(name, this.of(name) + amount)
  }

  remove(name: string, amount = 1): void {
    const left = this.of(name) - amount
    if (left > 0) this.#sums.set(name, left)
    else this.#sums.delete(name)
  }
}
