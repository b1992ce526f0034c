import type { OfferLinks } from "../src/offer-links.ts";
import { jsonText, LongText } from "./text.tsx";

interface OfferProps extends OfferLinks {
  /** The arguments that the decision offers instead. */
  readonly instead: unknown;
  readonly onOpen: (sequence: number) => void;
}

/** What a decision offered instead of a call, and the other decision about that offer. */
export function Offer({ instead, offered, offered_by, onOpen }: OfferProps) {
  return (
    <>
      {offered_by !== null && (
        <p>
          <span>A rule offered this call instead of another one.</span>
          <OpenButton sequence={offered_by} onOpen={onOpen} />
        </p>
      )}
      {instead !== undefined && (
        <>
          <h3>Offered instead</h3>
          <LongText text={jsonText(instead)} label="Offered instead" />
          <p>
            <span>{outcomeOf(offered)}</span>
            {offered !== null && <OpenButton sequence={offered.sequence} onOpen={onOpen} />}
          </p>
        </>
      )}
    </>
  );
}

function outcomeOf(offered: OfferLinks["offered"]): string {
  if (offered === null) return "No decision about a call with these arguments follows.";
  return offered.taken
    ? "A rule allowed the call with these arguments, so it could run instead."
    : "No rule allowed the call with these arguments, so it did not run.";
}

interface OpenProps extends Pick<OfferProps, "onOpen"> {
  readonly sequence: number;
}

const OpenButton = ({ sequence, onOpen }: OpenProps) => (
  <button type="button" class="small" onClick={() => onOpen(sequence)}>
    Open event {sequence.toLocaleString("en")}
  </button>
);
