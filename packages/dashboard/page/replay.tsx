import { figureRows } from "../src/experiments/figures.ts";
import {
  replayTitle,
  summaryText,
  type ReplayedChange,
  type ReplaySeen,
} from "../src/experiments/replay.ts";
import { timeText } from "./shown.ts";
import { FigureTable, Table } from "./table.tsx";
import { effectWord, Text } from "./text.tsx";

const HEADS = ["Call", "Under a", "Under b", "Run", "Event"];

/** Recorded runs, decided again under two versions. */
export function Replay({ seen }: { readonly seen: ReplaySeen }) {
  const { a, b, run, since, begun, changes, error, compared } = seen;
  const limits = [
    ...(run === null ? [] : [`--run ${run}`]),
    ...(since === null ? [] : [`--since ${since}`]),
  ];
  const more = (compared?.summary.flips ?? 0) - changes.length;
  return (
    <section>
      <h2>Replay</h2>
      <p>
        The calls and transitions that were recorded until {timeText(begun)}
        {limits.length > 0 && (
          <>
            {" "}
            (<Text>{limits.join(" ")}</Text>)
          </>
        )}
        , decided again under a,{" "}
        <code>
          <Text>{a}</Text>
        </code>
        , and b,{" "}
        <code>
          <Text>{b}</Text>
        </code>
        .
      </p>
      {error !== null && (
        <p class="error">
          <Text>{error}</Text>
        </p>
      )}
      {error === null && compared === null && <p role="status">Deciding again …</p>}
      {compared !== null && (
        <>
          <p>{summaryText(compared.summary, "decision")}.</p>
          <p>{replayTitle(compared)}.</p>
          <FigureTable label="Figures of the replay" rows={figureRows(compared.figures)} />
        </>
      )}
      {changes.length > 0 && (
        <details>
          <summary>Decisions that change</summary>
          <Table
            label="Decisions that change"
            heads={HEADS}
            rows={changes.map(rowOf)}
            narrow="stacked"
          />
          {more > 0 && (
            <p>
              {more.toLocaleString("en")} more with <code>bylaw experiment replay --json</code>
            </p>
          )}
        </details>
      )}
    </section>
  );
}

const rowOf = ({ run, sequence, tool, summary, a, b }: ReplayedChange): readonly string[] => [
  `${tool}: ${summary}`,
  sideText(a),
  sideText(b),
  run,
  String(sequence),
];

const sideText = ({ effect, by }: ReplayedChange["a"]): string =>
  by === "" ? effectWord(effect) : `${effectWord(effect)} (${by})`;
