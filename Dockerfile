# Two stages: build with the compiler, run without it. The data directory is a volume.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json rolldown.config.ts ./
COPY src ./src
RUN npm ci --ignore-scripts && npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
WORKDIR /app
# No SEXTANT_DATA: it would outrank a configuration file that names another store. The default, ./data, is the volume.
ENV NODE_ENV=production SEXTANT_HOST=0.0.0.0 SEXTANT_LOG_FORMAT=json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY bin ./bin
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/v1/-/healthy').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/sextant.js"]
CMD ["start"]
