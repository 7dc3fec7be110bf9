// The documentation page of the errors, made from the catalogue and the operations.
import { COMMON_CONDITIONS, type Condition, ERROR_CATALOGUE } from "./error-catalogue.ts";
import type { Operation } from "./operation.ts";

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

Every error is \`application/json\`, whatever \`Accept\` says: \`message\` names the part, what was expected and
what came; \`error_code\` is one of a closed list; \`vm_error_code\` is there only where a virtual machine said no.
Errors that know the ledger carry the ledger headers. This page is generated from the error catalogue:
\`npx tsx scripts/generate-docs.ts\`.

| status | error_code | when | what to do | where |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
