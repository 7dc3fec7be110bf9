#!/usr/bin/env node
// Launcher of the built command line. It is a CommonJS file in old syntax, so that a Node that is too old for the program
// can still read this file and say so.
const { engines } = require("../package.json");

const have = process.versions.node;
const needed = engines.node.replace(">=", "");

/** True if the version `MAJOR.MINOR.PATCH` is at least `MAJOR.MINOR`. */
function isAtLeast(version, least) {
  const [major, minor] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = least.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

if (isAtLeast(have, needed)) {
  require("./launch.js");
} else {
  process.stderr.write(
    `sextant: this is Node ${have}, expected ${needed} or later: see https://nodejs.org\n`,
  );
  process.exitCode = 2;
}
