// Ends a test process when its run ends. Otherwise the workers of a killed run would continue to the end of their files.
const MARK = Symbol.for("sextant.endsWithRun");
const state = globalThis as { [MARK]?: true };

// The program says that it does not know the variable, so what tests start must not see it.
if (process.env.SEXTANT_SHARED !== undefined) {
  process.env.SHARED_FOLDER = process.env.SEXTANT_SHARED;
  delete process.env.SEXTANT_SHARED;
}

// Once per process, which may run several files.
if (state[MARK] === undefined) {
  state[MARK] = true;
  process.once("disconnect", () => process.exit(1));
}
