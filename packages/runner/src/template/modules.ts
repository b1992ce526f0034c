import { completeStep } from "./complete.ts";
import { near, type Problem } from "./problems.ts";
import type { TemplateText } from "./schema.ts";
import type { Step } from "./template.ts";

interface Parts {
  readonly steps: TemplateText["steps"];
  readonly modules: NonNullable<TemplateText["modules"]>;
  readonly overrides: NonNullable<TemplateText["overrides"]>;
}

/** Completes the steps with their modules and overrides, and finds those that are unknown or change nothing. Pure. */
export function resolveModules({ steps, modules = {}, overrides = {} }: TemplateText): {
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
} {
  const complete = steps.map(({ module, ...own }) => {
    const shared = module !== undefined && Object.hasOwn(modules, module) ? modules[module] : {};
    const change = Object.hasOwn(overrides, own.id) ? overrides[own.id] : {};
    return completeStep({ ...shared, ...own, ...change });
  });
  const parts = { steps, modules, overrides };
  return { steps: complete, problems: [...moduleProblems(parts), ...overrideProblems(parts)] };
}

function moduleProblems({ steps, modules }: Parts): readonly Problem[] {
  const unknown = steps.flatMap(({ module }, index): readonly Problem[] =>
    module === undefined || Object.hasOwn(modules, module)
      ? []
      : [
          {
            path: ["steps", index, "module"],
            message: `Unknown module \`${module}\``,
            ...near(module, Object.keys(modules)),
          },
        ],
  );
  const unused = Object.keys(modules).filter((one) => !steps.some(({ module }) => module === one));
  return [
    ...unknown,
    ...unused.map((one) => ({
      path: ["modules", one],
      message: `No step uses the module \`${one}\``,
    })),
  ];
}

function overrideProblems({ steps, modules, overrides }: Parts): readonly Problem[] {
  const ids = steps.map(({ id }) => id);
  return Object.entries(overrides).flatMap(([id, change]): readonly Problem[] => {
    const step = steps.find((one) => one.id === id);
    if (step === undefined) {
      const message = `The override \`${id}\` does not name a step`;
      return [{ path: ["overrides", id], message, ...near(id, ids) }];
    }
    const { module, ...own } = step;
    const before: Readonly<Record<string, unknown>> = {
      ...(module === undefined ? {} : modules[module]),
      ...own,
    };
    return Object.entries(change)
      .filter(([key, changed]) => JSON.stringify(before[key]) === JSON.stringify(changed))
      .map(([key]) => ({
        path: ["overrides", id, key],
        message: `The override of \`${key}\` has no effect: \`${id}\` says the same`,
        severity: "warning",
      }));
  });
}
