# Two stages: build with the compiler, run without it. The data directory is a volume; nothing else is written, so the
# root file system may be read-only. Node 24 is an LTS line with support until April 2028.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json build.globals.js rolldown.build.js web.build.js ./
COPY src ./src
COPY console ./console
# The image keeps the Cassandra driver, which is an optional peer dependency elsewhere.
RUN npm ci --ignore-scripts && npm run build \
  && npm pkg set "dependencies.cassandra-driver=$(node -p "require('./package.json').devDependencies['cassandra-driver']")" \
  && npm pkg delete devDependencies.cassandra-driver && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /app
# No SEXTANT_DATA: it would outrank a configuration file that names another store. The default, ./data, is the volume.
ENV NODE_ENV=production SEXTANT_HOST=0.0.0.0 SEXTANT_LOG_FORMAT=json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY bin ./bin
RUN install -d -m 0700 -o node -g node /data
# The number of the user node, by which Kubernetes can tell that it is not root.
USER 1000:1000
WORKDIR /
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Sees SEXTANT_… variables and the file in SEXTANT_CONFIG, not the flags of the command: set ports and TLS there.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --start-interval=2s CMD ["node", "/app/bin/sextant.js", "health"]
ENTRYPOINT ["node", "/app/bin/sextant.js"]
CMD ["start"]
