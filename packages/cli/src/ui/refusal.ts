/** A refused request, in the form of `bylaw serve`. */
export const refusal = (status: number, detail: string, fix?: string): Response =>
  new Response(JSON.stringify({ status, detail, fix }), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
  });
