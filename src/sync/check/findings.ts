// Findings of a store check: keeps the text of the first ones, counts all.

/** Texts kept: one damaged place causes many findings. */
const MAX_TEXTS = 50;

export class Findings {
  readonly texts: string[] = [];
  #count = 0;

  /** All findings, including those without text. */
  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    this.#count++;
    if (this.texts.length < MAX_TEXTS) this.texts.push(text);
  }

  /** Adds the text unless the condition holds. */
  expect(holds: boolean, text: () => string): void {
    if (!holds) this.add(text());
  }
}
