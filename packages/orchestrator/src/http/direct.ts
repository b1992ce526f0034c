import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "@bylaw/kernel";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Service } from "../service/service.ts";
import { answer } from "./answer.ts";
import { NodeRequest } from "./requested.ts";
import type { Route } from "./route.ts";
import { endOfTurn } from "./turn.ts";

/** Answers a request as Node hands it over. `came`: when that was, by the clock of `performance`. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse, came: number) => void;

/**
 * The routes that Node may hand requests to itself, by their path: those that are posted to a path without parameters. The framework
 * would make of each request, and of each answer, what a browser has for it, which takes as long as a decision.
 */
export function direct(base: string, routes: readonly Route[], service: Service): ReadonlyMap<string, Answer> {
  const simple = routes.filter(({ method, params, path }) => method === "post" && params === undefined && !path.includes("{"));
  return new Map(
    simple.map((route) => [
      `${base}${route.path}`,
      (incoming, outgoing, came) => {
        answerNode(new NodeRequest(incoming, outgoing, came), route, service).catch((error: unknown) => {
          service.log.error({ err: messageOf(error) }, "a request failed outside of its route");
          outgoing.destroy();
        });
      },
    ]),
  );
}

async function answerNode(request: NodeRequest, route: Route, service: Service): Promise<void> {
  const response = await answer(request, route, service);
  if (response !== RESPONSE_ALREADY_SENT) await send(response, request);
}

async function send(response: Response, { incoming, outgoing }: NodeRequest): Promise<void> {
  const text = await response.text();
  const headers = { ...Object.fromEntries(response.headers), "content-length": Buffer.byteLength(text) };
  // A body that came with its head is complete by then, though nobody has read it. What is left of one that nobody wants is not waited for.
  await endOfTurn();
  outgoing.writeHead(response.status, incoming.complete ? headers : { ...headers, connection: "close" }).end(text);
}
