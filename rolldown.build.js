// Bundles the program: Node takes longer to find and open hundreds of small files than to run them. Packages
// stay outside, and what is imported on use becomes a file of its own.
import { build } from "rolldown";
import { buildConsole } from "./console/build.js";

await build({
  // Files of the build that something names: the launcher, the package's export, workers, threads and the tests.
  input: {
    index: "src/index.ts",
    "cli/main": "src/cli/main.ts",
    "cli/run-command": "src/cli/run-command.ts",
    "node/worker-main": "src/node/worker-main.ts",
    "node/submission-thread": "src/node/submissions/thread-main.ts",
  },
  platform: "node",
  external: /^[^./]/,
  output: {
    dir: "dist",
    sourcemap: true,
    // Errors are named after their class, also where two files use one name.
    keepNames: true,
    entryFileNames: "[name].js",
    // As deep as the sources, which find package.json by a relative path.
    chunkFileNames: "parts/[name]-[hash].js",
  },
});

await buildConsole();
