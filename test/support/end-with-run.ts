// Ends a test process when its run ends: the workers of a killed run would continue. Removes the folders of a file behind it.
import { afterAll } from "vitest";
import { removeFolders } from "./temporary.ts";

const MARK = Symbol.for("sextant.endsWithRun");
const state = globalThis as { [MARK]?: true };

// The program says that it does not know these variables, so what tests start must not see them.
const { SEXTANT_SHARED, SEXTANT_RUNS } = process.env;
if (SEXTANT_SHARED !== undefined) process.env.SHARED_FOLDER = SEXTANT_SHARED;
if (SEXTANT_RUNS !== undefined) process.env.PROPERTY_RUNS = SEXTANT_RUNS;
delete process.env.SEXTANT_SHARED;
delete process.env.SEXTANT_RUNS;

afterAll(removeFolders);
// Once per process, which may run several files.
if (state[MARK] === undefined) {
  state[MARK] = true;
  process.once("disconnect", () => process.exit(1));
}
