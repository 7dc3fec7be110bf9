// Paths of the console's views. The node answers each with the console's page; the console shows the view.

/** First segments of the views' paths; whatever follows in the path belongs to the view. */
export const CONSOLE_VIEWS: readonly string[] = [
  "account",
  "block",
  "blocks",
  "encode",
  "table",
  "transaction",
  "transactions",
  "verify",
];
