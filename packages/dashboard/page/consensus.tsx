import type { ConsensusSeen, ConsensusTurn } from "../src/consensus.ts";
import { timeText } from "./shown.ts";
import type { SectionProps } from "./state-view.tsx";
import { Table } from "./table.tsx";
import { Text } from "./text.tsx";

/** Who answered, who voted for what, and what won, the latest consensus first. */
export function Consensus({ state: { consensus } }: SectionProps) {
  return (
    <>
      <h2>Consensus</h2>
      {consensus.length === 0 && <p>No agents have sought an answer together.</p>}
      {consensus.toReversed().map((one) => (
        <One key={one.opened} seen={one} />
      ))}
    </>
  );
}

function One({ seen: { opened, agents, turns, winner } }: { readonly seen: ConsensusSeen }) {
  const votes = (label: string | null): number =>
    label === null ? 0 : agents.filter(({ vote }) => vote === label).length;
  return (
    <section aria-label={`Consensus of event ${opened}`}>
      <h3>Opened by event {opened.toLocaleString("en")}</h3>
      {winner === null ? (
        <p>Nothing has won yet.</p>
      ) : (
        <>
          <p>
            <span class="effect allow">Won:</span> <Text>{winner.label}</Text> of{" "}
            <Text>{winner.agent}</Text>
          </p>
          {winner.preview !== null && (
            <blockquote>
              <Text>{winner.preview}</Text>
            </blockquote>
          )}
        </>
      )}
      <Table
        label="Answers and votes"
        heads={["Agent", "Round", "Answer", "Votes for it", "Votes for"]}
        rows={agents.map(({ agent, round, answer, vote, dropped }) => [
          agent,
          `${round}${dropped ? ", dropped" : ""}`,
          ...[answer, String(votes(answer)), vote],
        ])}
      />
      <details>
        <summary>Turns ({turns.length})</summary>
        <ol class="turns">
          {turns.map((turn) => (
            <li key={turn.sequence}>
              <Turn turn={turn} />
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}

const DID = {
  answer: "answered",
  vote: "voted for",
  ignored: "was not counted:",
  dropped: "was dropped:",
} as const;

function Turn({
  turn: { time, agent, round, kind, label, text },
}: {
  readonly turn: ConsensusTurn;
}) {
  return (
    <>
      {timeText(time)}, round {round}: <Text>{agent}</Text> {DID[kind]}{" "}
      {label !== null && <Text>{label}</Text>} {text !== null && <Text>{text}</Text>}
    </>
  );
}
