import { Text } from "./text.tsx";

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** The first cell of a row is its head. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A table that scrolls where it is too wide. */
export function Table({ label, heads, rows }: TableProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head = null, ...cells], index) => (
            <tr key={index}>
              <th scope="row">
                <Text>{head}</Text>
              </th>
              {cells.map((cell, at) => (
                <td key={at}>
                  <Text>{cell}</Text>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const FIGURE_HEADS = ["Figure", "a", "b", "b - a", "95 % interval", "Verdict"];

/** The figures of two versions. */
export const FigureTable = (props: Pick<TableProps, "label" | "rows">) => (
  <Table {...props} heads={FIGURE_HEADS} />
);
