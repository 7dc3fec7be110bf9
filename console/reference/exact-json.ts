// Indents JSON without parsing its numbers: JSON.parse would round integers above 2^53.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The text with line breaks and indentation; as it is if it is no JSON. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  let result = "";
  const line = (): string => `\n${"  ".repeat(depth)}`;
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      const isEmpty = next === "}" || next === "]";
      if (!isEmpty) depth++;
      result += isEmpty ? token : token + line();
    } else if (token === "}" || token === "]") {
      const isEmpty = tokens[index - 1] === "{" || tokens[index - 1] === "[";
      if (!isEmpty) depth--;
      result += isEmpty ? token : line() + token;
    } else if (token === ",") result += token + line();
    else if (token === ":") result += ": ";
    else result += token;
  });
  return result;
}
