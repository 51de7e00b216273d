# The App as a container: `docker run -p 3000:3000 -v coxswain:/data --env-file .env <image>`.
# Bubblewrap makes namespaces of its own, so a container with the sandbox also needs
#   --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined
# and a host that lets users make them. `coxswain serve` refuses to start if it cannot.
#
# The base is named by a tag, so that whoever builds this gets its security fixes. A release passes the digest
# that the tag had then as BASE, and the image's label org.opencontainers.image.base.digest says which:
#   docker build --build-arg BASE=node@sha256:<digest> .
ARG BASE=node:24-bookworm-slim
FROM $BASE AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY packages/forge/package.json packages/forge/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund && rm -r node_modules/@coxswain

FROM $BASE
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/coxswain
COPY --from=build /build/package.json /build/app.yml /build/LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist/cli dist/cli
COPY --from=build /build/agents agents
RUN install --directory --owner=node --group=node --mode=0700 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 COXSWAIN_DATA=/data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "/opt/coxswain/dist/cli/coxswain.js"]
CMD ["serve"]
