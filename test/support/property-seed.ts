// With TEST_SEED the generated cases are the same in every run, so that a run that is asked again finds again what it
// found.
if (process.env.TEST_SEED !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });
}

export {};
