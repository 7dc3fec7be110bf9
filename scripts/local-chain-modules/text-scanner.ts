// Scans one line of module text: words and symbols; blanks between them are ignored.

function isWordCode(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code === 95;
}

/** Position in one line. */
export class TextScanner {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Consumes the word or symbol if it is next; a word must end there. */
  accept(expected: string): boolean {
    this.#blanks();
    if (!this.text.startsWith(expected, this.#at)) return false;
    const end = this.#at + expected.length;
    const isWord = isWordCode(expected.charCodeAt(expected.length - 1));
    if (isWord && isWordCode(this.text.charCodeAt(end))) return false;
    this.#at = end;
    return true;
  }

  expect(expected: string): void {
    if (!this.accept(expected)) this.fail(JSON.stringify(expected));
  }

  /** The next word. */
  word(): string {
    this.#blanks();
    const start = this.#at;
    while (isWordCode(this.text.charCodeAt(this.#at))) this.#at++;
    if (this.#at === start) this.fail("a word");
    return this.text.slice(start, this.#at);
  }

  /** Items between commas, up to and including the closing symbol. */
  list<T>(close: string, item: () => T): T[] {
    const out: T[] = [];
    while (!this.accept(close)) {
      if (out.length > 0) this.expect(",");
      out.push(item());
    }
    return out;
  }

  /** The text up to the symbol that ends a type. */
  typeText(): string {
    this.#blanks();
    const start = this.#at;
    for (let depth = 0; this.#at < this.text.length; this.#at++) {
      const symbol = this.text[this.#at] ?? "";
      if (depth === 0 && ",)}>".includes(symbol)) break;
      if (symbol === "<") depth++;
      if (symbol === ">") depth--;
    }
    return this.text.slice(start, this.#at).trimEnd();
  }

  end(): void {
    this.#blanks();
    if (this.#at < this.text.length) this.fail("the end of the line");
  }

  fail(expected: string): never {
    throw new Error(`module text: expected ${expected} at ${this.#at} of ${JSON.stringify(this.text)}`);
  }

  #blanks(): void {
    while (this.text.charCodeAt(this.#at) === 32) this.#at++;
  }
}
