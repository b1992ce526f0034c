import { Text } from "./text.tsx";

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** The first cell of a row is its head. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** On a phone, puts the cells of a row below each other: `stacked`, or `stacked figures` if they are short. Default: scrolls. */
  readonly narrow?: "stacked" | "stacked figures";
}

/** A table that scrolls or stacks where it is too wide. It has roles, because a stacked table is none for a browser. */
export function Table({ label, heads, rows, narrow }: TableProps) {
  return (
    <div
      class={narrow === undefined ? "wide" : `wide ${narrow}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((title) => (
              <th key={title} scope="col" role="columnheader">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(([head = null, ...cells], index) => (
            <tr key={index} role="row">
              <th scope="row" role="rowheader">
                <Text>{head}</Text>
              </th>
              {cells.map((cell, at) => (
                <td key={at} role="cell" data-head={heads[at + 1]}>
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
  <Table {...props} heads={FIGURE_HEADS} narrow="stacked figures" />
);
