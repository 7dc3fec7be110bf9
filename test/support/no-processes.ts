// Enforces the rule of a tier: no child processes that outlive the call that starts them.
import { ChildProcess } from "node:child_process";

Object.assign(ChildProcess.prototype, {
  spawn: (): never => {
    throw new Error("a test that starts a process belongs in test/e2e (see CONTRIBUTING.md)");
  },
});
