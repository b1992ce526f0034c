import { BylawError, type EventType, type JsonObject } from "@bylaw/kernel";
import type { CatalogueType } from "./catalogue-type.ts";
import { detailsProblem } from "./details.ts";
import { DEVELOPER_TYPES } from "./developer.ts";
import { EXPERT_TYPES } from "./expert.ts";
import { GUIDANCE_TYPES } from "./guidance.ts";
import { INFRASTRUCTURE_TYPES } from "./infrastructure.ts";
import { nearest, quote } from "@bylaw/wording";
import { REVIEW_TYPES } from "./review.ts";
import { RUN_TYPES } from "./run-types.ts";
import { SESSION_TYPES } from "./session.ts";

/** The 53 types of a coordinator's log, from spec/003. */
export const COORDINATOR_TYPES: readonly CatalogueType[] = [
  ...SESSION_TYPES,
  ...EXPERT_TYPES,
  ...DEVELOPER_TYPES,
  ...REVIEW_TYPES,
  ...INFRASTRUCTURE_TYPES,
  ...GUIDANCE_TYPES,
];

/** The modes of a catalogue, the more trusting one first. */
export const CATALOGUE_MODES = ["lenient", "strict"] as const;

/**
 * `lenient`: a type that is not in the catalogue is doubtful, and details may be anything. `strict`: it is wrong, and the
 * details must fit the schema of their type.
 */
export type CatalogueMode = (typeof CATALOGUE_MODES)[number];

/** How a catalogue is made. */
export interface CatalogueOptions {
  /** Default: `lenient`. */
  readonly mode?: CatalogueMode;
  /** Further types, each with a name that is new. */
  readonly types?: readonly EventType[];
}

/** What a catalogue has against an event. */
export interface CatalogueProblem {
  readonly kind: "type" | "details";
  readonly message: string;
}

/** The types of events that a log may hold. */
export interface Catalogue {
  readonly mode: CatalogueMode;
  /** Every type by its name. */
  readonly types: ReadonlyMap<string, EventType>;
  /** What is wrong with an event, under the mode; nothing where it fits. */
  check(event_type: string, details: JsonObject): CatalogueProblem | undefined;
}

// How many unknown names are remembered with the advice for them: a log can hold millions, all different.
const REMEMBERED = 1_000;

/** A catalogue of the coordinator's types, those of a run, and yours. Throws BYLAW_OPTIONS_INVALID for a name that is taken. */
export function createCatalogue({ mode = "lenient", types: added = [] }: CatalogueOptions = {}): Catalogue {
  const types = new Map<string, EventType>();
  for (const type of [...COORDINATOR_TYPES, ...RUN_TYPES, ...added]) {
    if (types.has(type.name)) {
      throw new BylawError({
        code: "BYLAW_OPTIONS_INVALID",
        message: `Unexpected second event type \`${type.name}\`, expected each name once`,
        fix: "give your type a name of its own",
      });
    }
    types.set(type.name, type);
  }
  const unknown = new Map<string, CatalogueProblem>();

  function unknownType(name: string): CatalogueProblem {
    const known = unknown.get(name);
    if (known !== undefined) return known;
    const near = nearest(name, types.keys());
    const advice = near === undefined ? "" : `: did you mean \`${near}\`?`;
    const problem = { kind: "type", message: `Unexpected event type ${quote(name)}, expected one of the catalogue${advice}` } as const;
    if (unknown.size < REMEMBERED) unknown.set(name, problem);
    return problem;
  }

  return {
    mode,
    types,
    check(event_type, details) {
      const type = types.get(event_type);
      if (type === undefined) return unknownType(event_type);
      if (mode === "lenient") return undefined;
      const problem = detailsProblem(type, details);
      return problem === undefined ? undefined : { kind: "details", message: problem };
    },
  };
}
