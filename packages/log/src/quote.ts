/** Text of a log in backticks, at most 80 characters of it. */
export function quote(text: string): string {
  return `\`${text.length > 80 ? `${text.slice(0, 79)}…` : text}\``;
}
