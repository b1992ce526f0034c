import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal. The time it takes does not reveal where they differ. */
export function sameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(wanted));
}

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text, "utf8").digest();

const macOf = (secret: string, agent: string): string =>
  createHmac("sha256", secret).update(`bylaw-enrol\0${agent}`, "utf8").digest("base64url");

/**
 * Derives the credential that enrols only one agent: the text after `Bylaw-Enrol` in the Authorization header. A program that starts agents
 * derives one for each, so that no agent can claim in the name of another.
 */
export const agentEnrolment = (secret: string, agent: string): string =>
  `agent.${Buffer.from(agent, "utf8").toString("base64url")}.${macOf(secret, agent)}`;

/** The agent that a credential of {@link agentEnrolment} is for. `undefined` for any other text. */
export function agentOf(credential: string, secret: string): string | undefined {
  const [, name] = /^agent\.([\w-]+)\.[\w-]+$/.exec(credential) ?? [];
  if (name === undefined) return undefined;
  const agent = Buffer.from(name, "base64url").toString("utf8");
  return sameSecret(credential, agentEnrolment(secret, agent)) ? agent : undefined;
}
