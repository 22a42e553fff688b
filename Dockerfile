# Optional packages bring binaries for this platform: argon2's and the bundler's are
# needed, Node itself comes with the image.
FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json tsconfig.json .npmrc LICENSE ./
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-*

# A bad configuration or page fails the build, not the deployment, whose files cannot be written.
FROM dependencies AS checked
COPY bin bin
COPY src src
COPY config config
RUN node bin/tollgate.js check && node bin/tollgate.js build

FROM node:26-slim
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
RUN install -d -m 0700 -o node -g node /data
# Nothing outside /data is written: run with a read-only root file system.
VOLUME /data
USER node
EXPOSE 8080 8081 8082 8083 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MANAGEMENT_PORT || 9090}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The options of bin/node-options.json: without them it would start a second Node that has them.
ENTRYPOINT ["node", "--max-semi-space-size=64", "--min-semi-space-size=64", "/app/bin/tollgate.js"]
CMD ["start"]
