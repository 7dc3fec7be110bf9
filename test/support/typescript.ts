// Runs a TypeScript file in a separate process.

/** Node's arguments before the file. This loader needs about half of tsx's time, and the code runs as the build's does. */
export const AS_BUILT: readonly string[] = [
  "--import",
  new URL("../../bench/as-built.js", import.meta.url).href,
];
