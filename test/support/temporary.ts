// Temporary folders, removed after the test file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Makes a new empty folder; removed when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sextant-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
