// The exit codes of every command.

/** Exit codes and their meaning, as the reference and the manual page have them. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  [
    "0",
    "success; for `start`, also a stop by SIGTERM or SIGINT; for others, also a reader that closed the pipe",
  ],
  [
    "1",
    "doubt or fault: a check found damage, an item is absent, a version is pruned or above the head, a node refused the request or sent no usable response, or a running node stopped at a fault",
  ],
  [
    "2",
    "the command, an operand or the configuration is invalid, or the store is missing; nothing was changed",
  ],
  [
    "75",
    "something that the command needs is not there now, so try again: the port is taken, another process writes the store, the node or the cluster cannot be reached; or lmdb gave up a write, and the next start continues with nothing lost",
  ],
  [
    "130, 143",
    "`check`, `backup`, `restore`, `export` or `rewind` was stopped by SIGINT or SIGTERM before the end, and cleaned up",
  ],
];
