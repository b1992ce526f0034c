# The service: `docker build --tag bylaw .`, then `docker run --volume my-project:/srv/bylaw bylaw`.
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build && mkdir /packed && npm pack --workspace packages/cli --pack-destination /packed

FROM node:24-slim
# Gates look at tests in a git work tree.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY --from=build /packed /packed
RUN npm install --global /packed/*.tgz && rm -r /packed && install --directory --owner node /srv/bylaw
USER node
WORKDIR /srv/bylaw
VOLUME /srv/bylaw
EXPOSE 8000
ENV BYLAW_HEALTH_URL=http://127.0.0.1:8000/api/v1/health
HEALTHCHECK --start-period=20s CMD ["node", "-e", "fetch(process.env.BYLAW_HEALTH_URL).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bylaw"]
# It starts with a certificate (`--tls-cert`, `--tls-key`), or behind a proxy with `--allow-plain-http`.
CMD ["serve", "--host", "0.0.0.0"]
