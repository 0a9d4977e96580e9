# Temporal's core is built for glibc: no Alpine.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY template ./template
COPY src ./src
RUN npm run build && chmod +x dist/cli/main.js && node scripts/keep-peers.mjs && npm prune --omit=dev

FROM node:24-bookworm-slim
# Certificates for servers with TLS, Temporal Cloud among them.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/template ./template
# Tools that are mounted anywhere import 'longhaul' from there.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/longhaul && mkdir /node_modules && ln -s /app /node_modules/longhaul
ENV NODE_ENV=production
USER node
CMD ["longhaul", "worker", "-f", "/specs"]
