// Preloaded into a measured process: reports its processor time, in microseconds, on descriptor 3 when it exits.
const { writeSync } = require("node:fs");

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${user + system}`);
});
