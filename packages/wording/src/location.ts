/** Formats a position as `file:line:column`. Unknown parts are left out. */
export const formatLocation = ({ file, line, column }: Location): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

interface Location {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}
