// The logger interface that rooms take as a parameter. Messages are constant; data goes into fields.

/** Fields of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A subset of pino's logger. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Drops every line: for tests and in-process use. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
