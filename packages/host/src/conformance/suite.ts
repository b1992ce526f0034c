import {
  answerProofs,
  badInputProofs,
  callProofs,
  haltProof,
  questionProofs,
  resultProofs,
  sessionProofs,
} from "./answers.ts";
import { offerProofs } from "./offers.ts";
import { refusedProofs, stateProofs, textProofs } from "./installer.ts";
import type { HostCase, Proof, TestRunner } from "./kit.ts";
import { isPlugin, pluginProofs } from "./plugin.ts";

/** Defines the tests that every host must pass: its answers, and its installer. */
export function describeHost(test: HostCase, { describe, it }: TestRunner): void {
  const { host } = test;
  const { title } = host;
  const groups: readonly (readonly [string, readonly Proof[]])[] = [
    [`${title} before a tool call`, [...callProofs(test), ...answerProofs(test), haltProof(test)]],
    [`${title} after a tool call`, resultProofs(test)],
    [`${title} in a session`, sessionProofs(test)],
    [`${title} with a question`, questionProofs(test)],
    [`${title} with an offer`, offerProofs(test)],
    [`${title} with input that is not a call`, badInputProofs(test)],
    [
      `installing into ${title}`,
      isPlugin(host)
        ? pluginProofs(host)
        : [...textProofs(host), ...refusedProofs(host), ...stateProofs(host)],
    ],
  ];
  for (const [name, proofs] of groups)
    describe(name, () => {
      for (const [what, body] of proofs) it(what, body);
    });
}
