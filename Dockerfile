# The service as an unprivileged user, with the embedded database in /data unless DATABASE_URL is set. It writes only to /data,
# so run it with `--read-only --cap-drop ALL --security-opt no-new-privileges`.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.client.json ./
COPY src src
COPY scripts/bundle.ts scripts/
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production DATA_DIR=/data PORT=3000
WORKDIR /app
# The embedded database creates world-readable files, so the directory itself is private.
RUN install -d -o node -g node -m 0700 /data
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json app.yml app.readonly.yml ./
COPY drizzle drizzle
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
