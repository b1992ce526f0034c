import { VARIANTS, type Variant } from "@bylaw/log/experiment";
import { compareUnits } from "./comparison.ts";
import type { ComparedExperiment, Unit } from "./figures.ts";

interface Found {
  readonly units: Readonly<Record<Variant, Unit[]>>;
  readonly digests: Readonly<Record<Variant, Set<string>>>;
}

/** The most experiments that are kept. Their names come from configurations. */
const EXPERIMENTS = 100;

/** The tasks of experiments, by version. */
export class FoundExperiments {
  readonly #found = new Map<string, Found>();
  readonly #most: number;
  /** Whether some tasks were left out because there are more than are kept. */
  hasLeftOut = false;

  /** `most`: how many tasks of a version are kept, those that began last. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  add(name: string, variant: Variant, unit: Unit): void {
    let found = this.#found.get(name);
    if (found === undefined) {
      if (this.#found.size >= EXPERIMENTS) {
        this.hasLeftOut = true;
        return;
      }
      found = { units: { a: [], b: [] }, digests: { a: new Set(), b: new Set() } };
      this.#found.set(name, found);
    }
    const units = found.units[variant];
    units.push(unit);
    if (units.length <= this.#most) return;
    units.shift();
    this.hasLeftOut = true;
  }

  /** Adds the digest of what each version decides by. */
  use(name: string, digests: Readonly<Record<string, unknown>>): void {
    for (const variant of VARIANTS)
      this.#found.get(name)?.digests[variant].add(String(digests[variant]));
  }

  /** Compares all experiments, or one, by name. */
  async compare(only?: string): Promise<readonly ComparedExperiment[]> {
    const compared: ComparedExperiment[] = [];
    for (const experiment of this.names) {
      const found = this.#found.get(experiment);
      if (found === undefined || (only !== undefined && only !== experiment)) continue;
      const { units, digests } = found;
      compared.push({
        experiment,
        tasks: { a: units.a.length, b: units.b.length },
        digests: { a: [...digests.a], b: [...digests.b] },
        figures: await compareUnits(units, { paired: false }),
      });
    }
    return compared;
  }

  get names(): readonly string[] {
    return [...this.#found.keys()].toSorted();
  }
}
