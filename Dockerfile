# The page and the JavaScript of a release are made with the packages for development, which stay behind. A test compares the
# version of Node with the one that package.json brings.
ARG NODE_IMAGE=node:26.12.1-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY deploy/system-files.sh deploy/
RUN deploy/system-files.sh /system
COPY . .
# A bad configuration or page fails the build, not the deployment, whose files cannot be written.
ARG REVISION
RUN node bin/tollgate.js check \
  && node --disable-warning=ExperimentalWarning release/make-package.ts /build/dist/package ${REVISION} \
  && mv dist/package /app
# A start with a compile cache takes a third less time of the processor, and only here can it be written. Its entries hold for
# this path and this Node.
RUN node release/warm-cache.ts /app
# The same files are the same layer: without the moment of the build, a release moves only what it changes.
RUN mv /app/node_modules /packages && mkdir /app/node_modules && mv /packages/.cache /app/node_modules \
  && find /system /packages /app -exec touch --no-dereference --date=@0 {} +

FROM scratch
ARG VERSION
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="Tollgate" \
  org.opencontainers.image.description="An API gateway and developer portal for any API, with a sandbox bank to start with" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}"
ENV PATH=/usr/local/bin:/usr/bin \
    NODE_ENV=production \
    DATA_DIR=/data \
    CONFIG_DIR=/app/config \
    GATEWAY_HOST=0.0.0.0 \
    PORTAL_HOST=0.0.0.0 \
    BACKEND_HOST=0.0.0.0 \
    SCA_HOST=0.0.0.0 \
    MANAGEMENT_HOST=0.0.0.0
WORKDIR /app
# Layers in the order in which they change: the system with every Node, the packages with some releases, the program with each.
COPY --from=build /system /
COPY --from=build --chown=root:root /packages /app/node_modules
COPY --from=build --chown=root:root /app /app
# Nothing outside /data is written: run with a read-only root file system. No VOLUME: containerd would mount a writable one in every pod.
# The user `node`, by number: Kubernetes cannot tell whether a name is root (runAsNonRoot).
USER 1000:1000
EXPOSE 8080 8081 8082 8083 9090
# It asks this container itself, so the name in the certificate does not matter. It starts a Node, which costs 50 ms of a processor: hence
# seldom. Kubernetes ignores it and asks /livez itself.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "require(process.env.MANAGEMENT_TLS_CERT_FILE ? 'node:https' : 'node:http').get({ host: '127.0.0.1', port: process.env.MANAGEMENT_PORT || 9090, path: '/livez', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The options of bin/node-options.json: without them it would start a second Node that has them.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--min-semi-space-size=16", "--v8-pool-size=1", "--no-memory-reducer", "/app/bin/tollgate.js"]
CMD ["start"]
