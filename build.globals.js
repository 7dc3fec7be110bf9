/** Node's global of this name is a getter, which V8 calls each time; an imported binding is read at once. */
export const importedGlobals = { Buffer: ["node:buffer", "Buffer"] };
