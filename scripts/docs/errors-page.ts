// The documentation page of the errors, made from the catalogue and the operations.
import { COMMON_CONDITIONS, type Condition, ERROR_CATALOGUE } from "../../src/http/error-catalogue.ts";
import type { Operation } from "../../src/http/operation.ts";

/** Markdown of docs/errors.md. */
export function errorsPage(operations: readonly Operation[]): string {
  const conditions = Object.keys(ERROR_CATALOGUE) as Condition[];
  const rows = conditions.map((condition) => {
    const { status, errorCode, when, remedy } = ERROR_CATALOGUE[condition];
    const common = (COMMON_CONDITIONS as readonly Condition[]).includes(condition);
    const where = common
      ? "any path"
      : operations
          .filter((operation) => operation.errors.includes(condition))
          .map((operation) => `\`${operation.id}\``)
          .join(", ");
    return `| ${status} | \`${errorCode}\` | ${when} | ${remedy} | ${where} |`;
  });
  return `# Errors

Every error is \`application/json\`, whatever \`Accept\` says; only a path where nothing is served is a page for clients that prefer \`text/html\`. \`message\` names the wrong part of the request, what was
expected and what was received; \`error_code\` is one of a fixed list. An error that
occurs while the node reads the ledger carries the ledger headers; an earlier one, such as a malformed request, does
not. Generated from the error catalogue by \`npm run docs\`; do not edit.

| status | error_code | when | what to do | where |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
