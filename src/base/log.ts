// The logging face that rooms take as a parameter. Message constant, data as fields.

/** Fields of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What a room may do with a logger; satisfied by pino. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Swallows everything: for tests and in-process use. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
