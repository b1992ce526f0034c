import { timeText } from "./shown.ts";
import type { SectionProps } from "./state-view.tsx";
import { Table } from "./table.tsx";

const MINUTE_MS = 60_000;

/** The rules of the session, who gave them, and how long they hold. */
export function Constitution({ state: { constitution, time }, isPresent }: SectionProps) {
  const { rules, ends } = constitution;
  const now = isPresent || time === null ? Date.now() : Date.parse(time);
  const left = ends === null ? 0 : Math.ceil((Date.parse(ends) - now) / MINUTE_MS);
  return (
    <>
      <h2>Constitution</h2>
      {ends === null || left <= 0 ? (
        <p>No rules of the session are in force.</p>
      ) : (
        <>
          <p>
            In force until {timeText(ends)}, {left === 1 ? "1 minute" : `${left} minutes`} more,
            unless it is renewed.
          </p>
          <Table
            label="Rules of the session"
            heads={["Rule", "From", "Checked"]}
            rows={rules.map(({ id, rule, checked, author, by }) => [
              `${id}. ${rule}`,
              `${by} (${author})`,
              checked ? "yes" : "only told",
            ])}
          />
        </>
      )}
    </>
  );
}
