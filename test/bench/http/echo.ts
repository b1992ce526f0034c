// The floor: the bare framework, which reads a JSON body and answers with it.
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.post("/echo", async (context) => context.json(await context.req.json()));
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })),
);
process.on("SIGTERM", () => server.close());
