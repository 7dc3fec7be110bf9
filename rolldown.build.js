// Bundles the program: Node takes longer to find and open hundreds of small files than to run them. Packages
// stay outside, and what is imported on use becomes a file of its own.
import { dirname, join, relative, resolve } from "node:path";
import { build } from "rolldown";
import { importedGlobals } from "./build.globals.js";
import { buildConsole } from "./console/build.js";

await build({
  // Files of the build that something names: the launcher, the package's export, workers, threads and the tests.
  input: {
    index: "src/index.ts",
    "cli/main": "src/cli/main.ts",
    "cli/run-command": "src/cli/run-command.ts",
    "workers/worker-main": "src/node/workers/worker-main.ts",
    "following/verifying-main": "src/node/following/verifying-main.ts",
    "node/submission-thread": "src/node/request-thread/thread-main.ts",
  },
  platform: "node",
  external: /^[^./]/,
  // Commands and workers import at once, through node.ts, what a node in a process imports on use.
  checks: { ineffectiveDynamicImport: false },
  transform: { inject: importedGlobals },
  output: {
    dir: "dist",
    sourcemap: true,
    // Errors are named after their class, also where two files use one name.
    keepNames: true,
    entryFileNames: "[name].js",
    // As deep as the sources, which find package.json by a relative path.
    chunkFileNames: "parts/[name]-[hash].js",
    // A group takes the file and all that it imports at once. Without groups, the bundler makes a file of every set of
    // modules that the same parts share: dozens, and each costs a start its time.
    codeSplitting: {
      groups: [
        {
          name: "base",
          test: /src[\\/](base[\\/](errors|load-package|texts[\\/]nearest|option|settings|software-version)|interface[\\/]routes)\.ts$/,
          priority: 3,
        },
        { name: "cli", test: /src[\\/]cli[\\/]run-command\.ts$/, priority: 2 },
        { name: "node", test: /src[\\/]node[\\/]create-node\.ts$/, priority: 1 },
        {
          name: "machine",
          test: /src[\\/](vm[\\/]ledger[\\/]ledger-machine|chain[\\/]natives[\\/]index)\.ts$/,
          priority: 0,
        },
      ],
    },
  },
});

/** What the export for browsers uses in the place of files and modules that need Node. */
const platform = {
  "src/base/bytes.ts": "bytes",
  "src/base/hex.ts": "hex",
  "src/base/keccak.ts": "keccak",
  "src/base/sha3.ts": "sha3",
  "src/ledger/balances/balance-keys.ts": "balance-keys",
  "node:buffer": "buffer",
};
const root = import.meta.dirname;
const platformFolder = join(root, "src/verify/platform");

await build({
  input: { verify: "src/verify.ts" },
  platform: "browser",
  plugins: [
    {
      name: "platform",
      resolveId: (id, importer) => {
        // The replacements themselves may use the originals.
        if (importer === undefined || importer.startsWith(platformFolder)) return null;
        const path = id.startsWith(".") ? relative(root, resolve(dirname(importer), id)) : id;
        const name = platform[path];
        return name === undefined ? null : join(platformFolder, `${name}.ts`);
      },
    },
  ],
  // Packages are inside: a page can load this file as it is.
  output: { dir: "dist", minify: true, keepNames: true, entryFileNames: "[name].js", codeSplitting: false },
});

await buildConsole();
