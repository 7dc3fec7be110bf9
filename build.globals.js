/** Node's globals of these names are getters, which V8 calls each time; an imported binding is read at once. */
export const importedGlobals = {
  Buffer: ["node:buffer", "Buffer"],
  performance: ["node:perf_hooks", "performance"],
};
