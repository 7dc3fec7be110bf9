// Media types of requests and responses.

export const JSON_TYPE = "application/json";
export const BCS_TYPE = "application/x-bcs";
/** JSON values, one on each line. */
export const NDJSON_TYPE = "application/x-ndjson";
export const CSV_TYPE = "text/csv";
/** Server-sent events. */
export const EVENTS_TYPE = "text/event-stream";
