import { timeText } from "./shown.ts";
import type { SectionProps } from "./state-view.tsx";
import { Table } from "./table.tsx";

/** What each agent was allowed, asked and denied. */
export function Agents({ state: { agents } }: SectionProps) {
  return (
    <>
      <h2>Agents</h2>
      <Table
        label="Agents"
        heads={["Agent", "Allowed", "Asked", "Denied", "Last event"]}
        rows={agents
          .toReversed()
          .map(({ agent, allowed, asked, denied, last }) => [
            ...[agent, String(allowed), String(asked), String(denied), timeText(last)],
          ])}
      />
    </>
  );
}
