/** `file:line:column`, as far as it is known. */
export const formatLocation = ({ file, line, column }: Location): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

interface Location {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}
