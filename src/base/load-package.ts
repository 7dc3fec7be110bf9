// Packages that not every run needs. An import at the top of a file would cost every start of the program its time.
import { createRequire } from "node:module";

/** Loads a package at its first use. */
export const loadPackage = createRequire(import.meta.url);
