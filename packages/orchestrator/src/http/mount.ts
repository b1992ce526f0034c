import type { Hono } from "hono";
import type { Service } from "../service/service.ts";
import { answer } from "./answer.ts";
import { FrameworkRequest } from "./requested.ts";
import type { Route } from "./route.ts";

/** Makes one route answer by way of the framework; returns the path that it does so at. */
export function mount(app: Hono, base: string, route: Route, service: Service): string {
  const path = `${base}${route.path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
  app.on(route.method.toUpperCase(), path, (context) => answer(new FrameworkRequest(context), route, service));
  return path;
}
