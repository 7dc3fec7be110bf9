// Compares byte arrays of one kind at once. The comparison of vitest looks at every byte as at a property, which takes a
// second for some hundred kilobytes.
import { expect } from "vitest";

expect.addEqualityTesters([
  (a: unknown, b: unknown): boolean | undefined =>
    a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
      ? Buffer.compare(a, b) === 0
      : undefined,
]);
