import type { WordPart } from "../parse/syntax.ts";

/** The text of `$(cat <<'EOF' … EOF)`, which agents use for a message of several lines. Undefined for anything else. */
export function quotedDocument(part: WordPart): string | undefined {
  if (part.type !== "CommandExpansion" || !part.text.startsWith("$(cat <<")) return undefined;
  const [statement, ...others] = part.script?.commands ?? [];
  if (others.length > 0 || part.script?.errors !== undefined) return undefined;
  const command = statement?.command;
  if (command?.type !== "Command" || command.name?.text !== "cat") return undefined;
  const [document, ...more] = [...command.prefix, ...command.suffix];
  if (more.length > 0 || document?.type !== "HereDoc" || document.operator !== "<<")
    return undefined;
  const { body, closing, delimiter, descriptor } = document;
  if (closing === undefined || delimiter?.quoted !== true || descriptor !== undefined)
    return undefined;
  return body.text.includes("\0") ? undefined : body.text.replace(/\n+$/, "");
}
