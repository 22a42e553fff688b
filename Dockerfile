# Optional packages bring binaries for this platform: argon2's and the bundler's are
# needed, Node itself comes with the image.
ARG NODE_IMAGE=node:26-slim
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json tsconfig.json .npmrc LICENSE ./
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-*

# A bad configuration or page fails the build, not the deployment, whose files cannot be written.
FROM dependencies AS checked
COPY bin bin
COPY src src
COPY config config
RUN node bin/tollgate.js check && node bin/tollgate.js build

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    DATA_DIR=/data \
    CONFIG_DIR=/app/config \
    GATEWAY_HOST=0.0.0.0 \
    PORTAL_HOST=0.0.0.0 \
    BACKEND_HOST=0.0.0.0 \
    SCA_HOST=0.0.0.0 \
    MANAGEMENT_HOST=0.0.0.0
WORKDIR /app
COPY --from=checked --chown=root:root /app /app
# Serving needs no package manager.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn* \
  && install -d -m 0700 -o 1000 -g 1000 /data
# Nothing outside /data is written: run with a read-only root file system.
VOLUME /data
# The user `node`, by number: Kubernetes cannot tell whether a name is root (runAsNonRoot).
USER 1000:1000
EXPOSE 8080 8081 8082 8083 9090
# It asks this container itself, so the name in the certificate does not matter.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "require(process.env.MANAGEMENT_TLS_CERT_FILE ? 'node:https' : 'node:http').get({ host: '127.0.0.1', port: process.env.MANAGEMENT_PORT || 9090, path: '/livez', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The options of bin/node-options.json: without them it would start a second Node that has them.
ENTRYPOINT ["node", "--max-semi-space-size=64", "--min-semi-space-size=64", "--no-memory-reducer", "/app/bin/tollgate.js"]
CMD ["start"]
