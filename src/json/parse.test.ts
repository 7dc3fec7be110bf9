import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter, RUNS } from "../../test/support/property.ts";
import { ABSENT, type JsonDocument } from "./document.ts";
import { JsonError } from "./errors.ts";
import { MAX_JSON_DEPTH, parseJson, parseJsonInSlices } from "./parse.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "utf8");

/** Text of a number as it was written. */
function numberText(document: JsonDocument, at: number): string {
  const rest = Buffer.from(document.bytes.subarray(document.offset(at))).toString("latin1");
  return /^[-+.\deE]+/.exec(rest)?.[0] ?? "";
}

/** The object graph of a document, built with nothing but its accessors. */
function toValue(document: JsonDocument, at: number): unknown {
  switch (document.kind(at)) {
    case "null":
      return null;
    case "boolean":
      return document.boolean(at);
    case "number":
      return Number(numberText(document, at));
    case "string":
      return document.string(at);
    case "array": {
      const out: unknown[] = [];
      for (let item = document.first(at); item < document.end(at); item = document.next(item)) {
        out.push(toValue(document, item));
      }
      return out;
    }
    case "object": {
      const entries: [string, unknown][] = [];
      for (let name = document.first(at); name < document.end(at); name = document.next(name + 1)) {
        entries.push([document.string(name), toValue(document, name + 1)]);
      }
      return Object.fromEntries(entries);
    }
  }
}

function parseOrError(text: string): unknown {
  try {
    const document = parseJson(bytesOf(text));
    return { value: toValue(document, document.root) };
  } catch (error) {
    if (error instanceof JsonError) return "error";
    throw error;
  }
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, item]) => !name.isWellFormed() || hasLoneSurrogate(item));
}

function platformParse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return { value: Object.is(value, -0) ? -0 : value };
  } catch {
    return "error";
  }
}

const blank = fc.constantFrom("", " ", "\n", "\t\r\n");

describe("parseJson", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), blank, blank, (text, before, after) => {
        const spaced = `${before}${text}${after}`;
        const expected = platformParse(spaced);
        if (hasLoneSurrogate((expected as { value: unknown }).value)) return;
        expect(parseOrError(spaced)).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it("accepts and rejects mutated texts as JSON.parse does", () => {
    const mutation = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 2 }),
      insert: fc.constantFrom(
        ...'{}[]",:\\ut0123-+.eEnN/\u0000\u001f\u2028\ufeff é'.split(""),
        "",
        "\\u12",
        "1e",
        "null",
      ),
    });
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.boolean(),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        (value, pretty, mutations) => {
          let text = pretty ? JSON.stringify(value, undefined, 1) : JSON.stringify(value);
          for (const { at, remove, insert } of mutations) {
            const start = at % (text.length + 1);
            text = text.slice(0, start) + insert + text.slice(start + remove);
          }
          // Half a pair cannot be written in UTF-8, so such a text cannot arrive.
          if (!text.isWellFormed()) return;
          const expected = platformParse(text);
          if (expected !== "error" && hasLoneSurrogate((expected as { value: unknown }).value)) return;
          expect(parseOrError(text)).toEqual(expected);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("throws nothing but its own error on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          parseJson(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("reads texts of every length around those where its working memory grows", () => {
    const units = ["1", "[]", '{"a":[2]}', `${"[".repeat(126)}${"]".repeat(126)}`];
    for (const unit of units) {
      for (const words of [1024, 2048, 4096]) {
        const middle = Math.floor(words / (unit.match(/[[{]/g)?.length ?? 0.5) / 2);
        for (let count = Math.max(0, middle - 6); count < middle + 6; count++) {
          const text = `[${Array(count).fill(unit).join(",")}]`;
          expect(parseOrError(text)).toEqual({ value: JSON.parse(text) });
          const cut = `${text.slice(0, -1)}${"[".repeat(100)}`;
          expect(() => parseJson(bytesOf(cut))).toThrow(count === 0 ? "text ends" : "expected `,` or `]`");
          const open = `${text.slice(0, -1)}${count === 0 ? "" : ","}${"[".repeat(126)}]`;
          expect(() => parseJson(bytesOf(open))).toThrow("text ends where `,` or `]` is expected");
        }
      }
    }
  });

  it("gives the same document or error in slices of any length", async () => {
    const text = fc.oneof(
      fc.json({ maxDepth: 5 }),
      fc.json().map((json) => json.slice(0, -1)),
      fc.string({ maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 40 }), async (json, stepBytes) => {
        const bytes = bytesOf(json);
        let expected: unknown;
        try {
          const document = parseJson(bytes);
          expected = toValue(document, document.root);
        } catch (error) {
          expected = error;
        }
        const found = await parseJsonInSlices(bytes, stepBytes).then(
          (document) => toValue(document, document.root),
          (error: unknown) => error,
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it("reads a view at an offset as it reads a copy", () => {
    const padded = bytesOf(`xx{"a":["b",1.50,{"ü":"ü\\n"}]}yy`);
    const document = parseJson(padded.subarray(2, padded.length - 2));
    expect(toValue(document, document.root)).toEqual({ a: ["b", 1.5, { ü: "ü\n" }] });
  });

  it.each([
    ["", "expected a JSON value, got nothing at line 1 column 1"],
    ["invalid", "expected a JSON value at line 1 column 1"],
    ['{\n "a": tru }', "expected a JSON value at line 2 column 7"],
    ['["é" x]', "expected `,` or `]` at line 1 column 6"],
    ['{"a":1', "text ends where `,` or `}` is expected at line 1 column 7"],
    ["{a:1}", "expected a member name in double quotes at line 1 column 2"],
    ['{"a" 1}', "expected `:` after a member name at line 1 column 6"],
    ["[1] []", "expected the end of the text at line 1 column 5"],
    ["[01]", "a number cannot have a leading zero at line 1 column 3"],
    ['"a', "text ends inside a string at line 1 column 3"],
    ['"\\ud800"', "unpaired surrogate escape in a string at line 1 column 2"],
    ['"\\udc00\\ud800"', "unpaired surrogate escape in a string at line 1 column 2"],
    ["\ufeff1", "expected a JSON value at line 1 column 1"],
  ])("says what is wrong with %j", (text, message) => {
    expect(() => parseJson(bytesOf(text))).toThrow(message);
  });

  it("finds the first byte that is not UTF-8 in a long text", () => {
    const text = `["${"é€😀a".repeat(5000)}"]`;
    for (const [at, byte] of [
      [2, 0x80],
      [16_384, 0xff],
      [16_385, 0xc3],
      [33_000, 0xed],
      [49_999, 0xf5],
    ] as const) {
      const bytes = Buffer.from(text);
      bytes[at] = byte;
      const again = Buffer.from(bytes.toString());
      const offset = bytes.findIndex((one, i) => one !== again[i]);
      expect(() => parseJson(bytes)).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ offset }) }),
      );
    }
    const rests = Buffer.alloc(40_000, 0x80);
    expect(() => parseJson(rests)).toThrow("at line 1 column 1");
  });

  it("refuses bytes that are not UTF-8 and says where", () => {
    const bytes = Uint8Array.of(91, 34, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 34, 93);
    expect(() => parseJson(bytes)).toThrow("text is not valid UTF-8 at line 1 column 4");
  });

  it("takes 127 containers inside one another and refuses 128", () => {
    const nested = (depth: number): Uint8Array => bytesOf("[".repeat(depth) + "]".repeat(depth));
    expect(parseJson(nested(MAX_JSON_DEPTH)).kind(0)).toBe("array");
    expect(() => parseJson(nested(MAX_JSON_DEPTH + 1))).toThrow("nested deeper than 127");
  });
});

describe("JsonDocument", () => {
  it("finds members by their unescaped names, own ones only, the last of several", () => {
    const document = parseJson(bytesOf('{"a":1,"\\u0061":2,"ü":3,"__proto__":4,"a\\"b":5,"ab":6}'));
    const text = (name: string): string | undefined => {
      const at = document.member(document.root, name);
      return at === ABSENT ? undefined : numberText(document, at);
    };
    expect([text("a"), text("ü"), text("__proto__"), text('a"b'), text("ab")]).toEqual([
      "2",
      "3",
      "4",
      "5",
      "6",
    ]);
    expect([text("toString"), text("constructor"), text(""), text("abc"), text("A")]).toEqual(
      Array(5).fill(undefined),
    );
  });

  it("finds any member name that JSON can spell", () => {
    const name = fc.string({ unit: anyCharacter, maxLength: 8 });
    fc.assert(
      fc.property(name, name, (wanted, other) => {
        const document = parseJson(bytesOf(`{${JSON.stringify(wanted)}:1}`));
        expect(document.member(0, wanted)).toBe(3);
        expect(document.member(0, other)).toBe(other === wanted ? 3 : ABSENT);
        expect(Buffer.from(document.stringBytes(2)).toString()).toBe(wanted);
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps the text of numbers", () => {
    const document = parseJson(bytesOf("[1.0,1e2,-0,12345678901234567890123,1E+5 , 7]"));
    const texts: string[] = [];
    for (let at = document.first(0); at < document.end(0); at = document.next(at))
      texts.push(numberText(document, at));
    expect(texts).toEqual(["1.0", "1e2", "-0", "12345678901234567890123", "1E+5", "7"]);
    expect(document.count(0)).toBe(6);
  });

  it("takes a number as an integer when it is written as one of at most 15 digits", () => {
    const spelling = fc.oneof(
      fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc.constantFrom("-0", "0", "1.0", "1e2", "1E+2", "999999999999999", "1000000000000000"),
    );
    fc.assert(
      fc.property(spelling, fc.constantFrom("", " ", "]"), (text, behind) => {
        const document = parseJson(bytesOf(behind === "]" ? `[${text}]` : `${text}${behind}`));
        const value = document.smallInteger(behind === "]" ? 2 : 0);
        expect(value).toBe(/^-?[0-9]{1,15}$/.test(text) ? Number(text) + 0 : undefined);
      }),
      { numRuns: RUNS },
    );
  });

  it("prints a value compactly and cuts it off", () => {
    const document = parseJson(bytesOf('{ "a" : [ 1 , "x y]" , { } ] , "b\\"" : "é" } '));
    expect(document.excerpt(0)).toBe('{"a":[1,"x y]",{}],"b\\"":"é"}');
    expect(document.excerpt(document.member(0, "a"))).toBe('[1,"x y]",{}]');
    expect(document.excerpt(document.member(0, 'b"'))).toBe('"é"');
    const long = parseJson(bytesOf(`["${"é".repeat(500)}", 1e5 ]`));
    expect(long.excerpt(0)).toBe(`["${"é".repeat(98)}…`);
    expect(long.excerpt(long.next(2))).toBe("1e5");
  });

  it("prints short values as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value);
        const document = parseJson(bytesOf(JSON.stringify([value], undefined, 2)));
        if (text.isWellFormed() && !hasLoneSurrogate(value)) expect(document.excerpt(2, 10_000)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });
});
