// Ends a test process when its run ends. Otherwise the workers of a killed run would continue to the end of their files.
const MARK = Symbol.for("sextant.endsWithRun");
const state = globalThis as { [MARK]?: true };

// Once per process, which may run several files.
if (state[MARK] === undefined) {
  state[MARK] = true;
  process.once("disconnect", () => process.exit(1));
}
