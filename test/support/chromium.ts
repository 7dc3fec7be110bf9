// The Chromium of a test file: it starts at first use and ends with the file.
import { afterAll, inject } from "vitest";
import { type Look, launchChromium, type Visit, visit } from "./visit.ts";

const program = inject("chromium");

/** False on a machine without Chromium; the line "chromium: …" of the run says why. */
export const hasChromium: boolean = program !== "";

let launched: ReturnType<typeof launchChromium> | undefined;
afterAll(async () => (await launched)?.close());

/** Opens a context with one page that reaches one node only. */
export async function openVisit(url: string, look: Look = {}): Promise<Visit> {
  launched ??= launchChromium(program);
  return visit((await launched).browser, url, look);
}
