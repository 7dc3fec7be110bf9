// A test process ends when the run that started it is gone. Otherwise a killed run leaves its workers behind, which
// go on to the end of their files.
const MARK = Symbol.for("sextant.endsWithRun");
const state = globalThis as { [MARK]?: true };

// Once per process, which may run several files.
if (state[MARK] === undefined) {
  state[MARK] = true;
  process.once("disconnect", () => process.exit(1));
}
