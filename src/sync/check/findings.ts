// What a check of a store found: the first findings in words, all of them counted.

/** Findings kept in words; damage at one place shows at many. */
const MAX_TEXTS = 50;

/** Collects what is wrong. */
export class Findings {
  readonly texts: string[] = [];
  #count = 0;

  /** All findings, those without words included. */
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
