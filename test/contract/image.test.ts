import { validate } from "dockerfile-utils";
import { expect, it } from "vitest";
import { textOf } from "./workspaces.ts";

const image = textOf("Dockerfile");

it("the Dockerfile has no fault", () => {
  expect(validate(image)).toEqual([]);
  expect(validate(`${image}\nHEALTHCHEK NONE\n`)).not.toEqual([]);
});

it("the service runs as a user without rights, says whether it is well, and listens without TLS only when told to", () => {
  const [, last = ""] = image.split(/^FROM .*\n(?![\s\S]*^FROM )/m);
  const steps = last.split("\n").filter((line) => /^[A-Z]/.test(line));
  const user = steps.indexOf("USER node");
  expect(steps.filter((step) => step.startsWith("USER "))).toEqual(["USER node"]);
  expect(steps.slice(user).some((step) => step.startsWith("RUN "))).toBe(false);
  expect(steps.some((step) => step.startsWith("HEALTHCHECK "))).toBe(true);
  expect(last).toMatch(/^CMD (?!.*allow-plain-http)/m);
});
