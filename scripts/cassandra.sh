#!/usr/bin/env bash
# Runs a small Apache Cassandra cluster on loopback addresses, for tests, fault runs and benchmarks. Maven fetches
# Cassandra with its dependencies; this script configures, starts and stops the nodes. Needs Java 17 and Maven. Not
# for real data: small heaps, and no authentication unless CASSANDRA_SECURE=1 sets passwords and TLS, which needs
# openssl too.
set -euo pipefail
cd "$(dirname "$0")/.."

VERSION=5.0.4
HOME_DIR=${CASSANDRA_HOME_DIR:-$PWD/.cache/cassandra}
LIB=${CASSANDRA_LIB_DIR:-$PWD/.cache/cassandra/lib-$VERSION}
# Nodes that require a password and a certificate, on separate addresses.
SECURE=${CASSANDRA_SECURE:-}
# First three parts of the nodes' addresses: node N listens on NET.N. Each NET is a separate cluster.
NET=${CASSANDRA_NET:-127.0.${SECURE:+9}}
[ "$NET" != 127.0. ] || NET=127.0.0
TLS=$HOME_DIR/tls-$NET
PORT=${CASSANDRA_PORT:-9042}
HEAP=${CASSANDRA_HEAP:-400M}
# Processors that each node assumes, so that the thread pools of several nodes fit on two cores.
PROCESSORS=${CASSANDRA_PROCESSORS:-2}
START_SECONDS=${CASSANDRA_START_SECONDS:-180}

usage() {
  cat <<EOF
usage: scripts/cassandra.sh COMMAND
  up [1|3]        start one or three nodes (default 3), keep the data of earlier runs, wait for CQL
  down            stop all nodes; 'down --wipe' also removes their data
  status          show which nodes respond
  start N         start node N with its data and wait for CQL
  stop N          stop node N gracefully (SIGTERM)
  kill N          kill node N (SIGKILL)
  pause N         freeze node N (SIGSTOP); 'resume N' continues it
  nodetool N ...  run Cassandra's nodetool on node N
  resolve         fetch Cassandra into the cache only
The nodes listen on $NET.1 to $NET.3, port $PORT. Data, logs and configuration are under
$HOME_DIR.
Set CASSANDRA_NET (127.0.0), CASSANDRA_PORT (9042), CASSANDRA_HEAP (400M), CASSANDRA_HOME_DIR to change that.
CASSANDRA_SECURE=1 starts nodes on 127.0.9.1 to .3 that require a password (user and password 'cassandra') and a client
certificate; ca.pem, client.pem, client.key, and the stranger-*.pem of an untrusted CA are in
$HOME_DIR/tls-$NET.
EOF
}

fail() {
  echo "cassandra.sh: $*" >&2
  exit 1
}

require_tools() {
  command -v java >/dev/null || fail "Java is missing: install a Java 17 runtime to run Cassandra"
  local major
  major=$(java -version 2>&1 | sed -n '1s/.*version "\([0-9]*\).*/\1/p')
  [ "$major" = 17 ] || [ "$major" = 11 ] || fail "Cassandra $VERSION needs Java 17 or 11, found Java ${major:-unknown}"
}

resolve() {
  [ -e "$LIB/complete" ] && return
  command -v mvn >/dev/null || fail "Maven is missing: it fetches Cassandra $VERSION; install Maven 3"
  echo "fetching Cassandra $VERSION with Maven" >&2
  mkdir -p "$LIB"
  cat >"$LIB/pom.xml" <<EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>cassandra-run</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId>
      <artifactId>cassandra-all</artifactId>
      <version>$VERSION</version>
    </dependency>
  </dependencies>
</project>
EOF
  (cd "$LIB" && mvn -q -B dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$LIB") >&2 ||
    fail "Maven could not fetch Cassandra $VERSION"
  touch "$LIB/complete"
}

node_dir() { echo "$HOME_DIR/$NET.$1"; }

pid_of() {
  local file
  file=$(node_dir "$1")/pid
  [ -e "$file" ] || return 1
  local pid
  pid=$(<"$file")
  # The process id may have been reused.
  grep -qs "CassandraDaemon" "/proc/$pid/cmdline" || return 1
  echo "$pid"
}

# Creates a CA with certificates for the nodes and a client, and a second, untrusted CA.
certify() {
  [ -e "$TLS/complete" ] && return
  local tool name
  for tool in openssl keytool; do command -v $tool >/dev/null || fail "$tool is missing: it creates the certificates"; done
  mkdir -p "$TLS"
  for name in ca stranger-ca; do
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=$name" -addext basicConstraints=critical,CA:true \
      -keyout "$TLS/$name.key" -out "$TLS/$name.pem" 2>/dev/null
  done
  sign ca node "subjectAltName=IP:$NET.1,IP:$NET.2,IP:$NET.3"
  sign ca client "subjectAltName=DNS:client"
  sign stranger-ca stranger-client "subjectAltName=DNS:client"
  openssl pkcs12 -export -name node -in "$TLS/node.pem" -inkey "$TLS/node.key" -certfile "$TLS/ca.pem" \
    -passout pass:changeit -out "$TLS/node.p12"
  keytool -importcert -noprompt -alias ca -file "$TLS/ca.pem" -storetype PKCS12 -storepass changeit \
    -keystore "$TLS/trusted.p12" 2>/dev/null
  touch "$TLS/complete"
}

sign() { # AUTHORITY NAME EXTENSION
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$2" -keyout "$TLS/$2.key" -out "$TLS/$2.csr" 2>/dev/null
  openssl x509 -req -days 3650 -in "$TLS/$2.csr" -CA "$TLS/$1.pem" -CAkey "$TLS/$1.key" -CAcreateserial \
    -extfile <(echo "$3") -out "$TLS/$2.pem" 2>/dev/null
}

security() {
  if [ -z "$SECURE" ]; then
    printf '%s\n' "authenticator: AllowAllAuthenticator" "authorizer: AllowAllAuthorizer"
    return
  fi
  cat <<EOF
authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
client_encryption_options:
  enabled: true
  optional: false
  require_client_auth: true
  keystore: $TLS/node.p12
  keystore_password: changeit
  truststore: $TLS/trusted.p12
  truststore_password: changeit
  store_type: PKCS12
EOF
}

configure() {
  local node=$1 count=$2 dir address seeds token
  dir=$(node_dir "$node")
  address=$NET.$node
  seeds=$NET.1
  [ "$count" = 1 ] || seeds="$NET.1,$NET.2,$NET.3"
  # Fixed, evenly spaced tokens.
  token=$(case $node in 1) echo -9223372036854775808 ;; 2) echo -3074457345618258603 ;; 3) echo 3074457345618258602 ;; esac)
  mkdir -p "$dir/conf" "$dir/log"
  cat >"$dir/conf/cassandra.yaml" <<EOF
cluster_name: sextant-$NET
num_tokens: 1
initial_token: "$token"
auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "$seeds"
listen_address: $address
rpc_address: $address
native_transport_port: $PORT
storage_port: 7000
ssl_storage_port: 7001
data_file_directories: ["$dir/data"]
commitlog_directory: $dir/commitlog
hints_directory: $dir/hints
saved_caches_directory: $dir/saved_caches
cdc_raw_directory: $dir/cdc
commitlog_sync: batch
commitlog_segment_size: 8MiB
commitlog_total_space: 128MiB
memtable_heap_space: 64MiB
memtable_offheap_space: 64MiB
memtable_allocation_type: heap_buffers
memtable_flush_writers: 1
concurrent_reads: 8
concurrent_writes: 8
concurrent_counter_writes: 2
concurrent_compactors: 1
native_transport_max_threads: 16
key_cache_size: 8MiB
counter_cache_size: 0MiB
file_cache_size: 32MiB
networking_cache_size: 16MiB
$(security)
dynamic_snitch: false
hinted_handoff_enabled: true
materialized_views_enabled: false
user_defined_functions_enabled: false
read_request_timeout: 5000ms
write_request_timeout: 5000ms
cas_contention_timeout: 2000ms
request_timeout: 10000ms
phi_convict_threshold: 8
disk_failure_policy: stop
commit_failure_policy: stop
EOF
  cat >"$dir/conf/logback.xml" <<EOF
<configuration>
  <appender name="FILE" class="ch.qos.logback.core.FileAppender">
    <file>$dir/log/system.log</file>
    <encoder><pattern>%-5level %date{ISO8601} %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="FILE"/></root>
</configuration>
EOF
}

module_options() {
  local packages=(
    java.base/java.io java.base/java.lang java.base/java.lang.module java.base/java.lang.reflect java.base/java.nio
    java.base/java.util java.base/java.util.concurrent java.base/java.util.concurrent.atomic
    java.base/jdk.internal.loader java.base/jdk.internal.math java.base/jdk.internal.misc
    java.base/jdk.internal.module java.base/jdk.internal.ref java.base/jdk.internal.reflect
    java.base/jdk.internal.util.jar java.base/sun.nio.ch java.rmi/sun.rmi.registry java.rmi/sun.rmi.server
    java.management.rmi/com.sun.jmx.remote.internal.rmi java.sql/java.sql jdk.attach/sun.tools.attach
    jdk.compiler/com.sun.tools.javac jdk.compiler/com.sun.tools.javac.file
    jdk.management/com.sun.management.internal jdk.unsupported/sun.misc
  )
  local package
  for package in "${packages[@]}"; do
    echo "--add-exports=$package=ALL-UNNAMED"
    echo "--add-opens=$package=ALL-UNNAMED"
  done
}

java_options() {
  local node=$1 dir
  dir=$(node_dir "$node")
  module_options
  cat <<EOF
-javaagent:$(echo "$LIB"/jamm-*.jar)
-Djdk.attach.allowAttachSelf=true
-Dio.netty.tryReflectionSetAccessible=true
-Xms$HEAP
-Xmx$HEAP
-Xss256k
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-XX:MaxDirectMemorySize=256M
-XX:+ExitOnOutOfMemoryError
-XX:+PerfDisableSharedMem
-Djava.net.preferIPv4Stack=true
-Dcassandra.config=file://$dir/conf/cassandra.yaml
-Dcassandra.storagedir=$dir
-Dcassandra.logdir=$dir/log
-Dlogback.configurationFile=file://$dir/conf/logback.xml
-Dcassandra.available_processors=$PROCESSORS
-Dcassandra.ring_delay_ms=1000
-Dcassandra.skip_wait_for_gossip_to_settle=0
-Dcassandra.superuser_setup_delay_ms=0
-Dcassandra.consistent.rangemovement=false
-Dcassandra.jmx.local.port=$(jmx_port "$node")
EOF
}

jmx_port() { echo $((7199 + $1 + 10 * (${NET##*.} % 100))); }

launch() {
  local node=$1 dir
  dir=$(node_dir "$node")
  pid_of "$node" >/dev/null && return
  if answers "$NET.$node"; then fail "another program already listens on $NET.$node:$PORT; set CASSANDRA_NET"; fi
  [ -e "$dir/conf/cassandra.yaml" ] || fail "node $node was never started: use 'up' first"
  mkdir -p "$dir/log"
  java_options "$node" >"$dir/conf/java-options"
  # A separate session, so that signals to this script's terminal do not reach the node.
  setsid nohup java "@$dir/conf/java-options" -cp "$dir/conf:$LIB/*" \
    org.apache.cassandra.service.CassandraDaemon >"$dir/log/output.log" 2>&1 </dev/null &
  echo $! >"$dir/pid"
}

# Sends the nine bytes of a CQL OPTIONS request, which needs no session and no driver; the response is SUPPORTED.
answers() {
  local reply
  reply=$(
    exec 2>/dev/null
    if [ -n "$SECURE" ]; then
      { printf '\x04\x00\x00\x00\x05\x00\x00\x00\x00' && sleep 2; } |
        timeout 4 openssl s_client -quiet -connect "$1:$PORT" -CAfile "$TLS/ca.pem" -cert "$TLS/client.pem" -key "$TLS/client.key" |
        head -c 5 | od -An -tx1 -j4 -N1
      exit 0
    fi
    exec 3<>"/dev/tcp/$1/$PORT" || exit 1
    printf '\x04\x00\x00\x00\x05\x00\x00\x00\x00' >&3
    timeout 2 head -c 5 <&3 | od -An -tx1 -j4 -N1
  ) || return 1
  [ "${reply// /}" = 06 ]
}

wait_for() {
  local deadline=$((SECONDS + START_SECONDS)) node
  for node in "$@"; do
    until answers "$NET.$node"; do
      # A new process may not look like a node yet; it is enough that it runs.
      kill -0 "$(<"$(node_dir "$node")/pid")" 2>/dev/null || {
        tail -n 20 "$(node_dir "$node")/log/output.log" "$(node_dir "$node")/log/system.log" >&2
        fail "node $node exited during its start"
      }
      [ $SECONDS -lt $deadline ] || fail "node $node does not respond on $NET.$node:$PORT after $START_SECONDS s"
      sleep 0.2
    done
  done
}

end_node() {
  local node=$1 signal=$2 pid
  pid=$(pid_of "$node") || return 0
  kill -CONT "$pid" 2>/dev/null || true
  kill "-$signal" "$pid" 2>/dev/null || true
  local tries=0
  while kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || kill -KILL "$pid" 2>/dev/null || true
    sleep 0.1
  done
  rm -f "$(node_dir "$node")/pid"
}

signal_node() {
  local pid
  pid=$(pid_of "$1") || fail "node $1 is not running"
  kill "-$2" "$pid"
}

one_node() {
  case ${1:-} in 1 | 2 | 3) ;; *) fail "expected a node: 1, 2 or 3" ;; esac
}

nodetool() {
  local node=$1 options
  shift
  mapfile -t options < <(module_options)
  java "${options[@]}" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dcassandra.storagedir="$(node_dir "$node")" \
    -Dlogback.configurationFile=file://$(node_dir "$node")/conf/logback.xml -cp "$LIB/*" org.apache.cassandra.tools.NodeTool \
    -h 127.0.0.1 -p "$(jmx_port "$node")" "$@"
}

case ${1:-} in
up)
  count=${2:-3}
  [ "$count" = 1 ] || [ "$count" = 3 ] || fail "up takes 1 or 3, got $count"
  require_tools
  resolve
  [ -z "$SECURE" ] || certify
  started=$SECONDS
  for node in $(seq "$count"); do
    configure "$node" "$count"
    launch "$node"
  done
  wait_for $(seq "$count")
  echo "Cassandra $VERSION: $count node(s) on $NET.1 .. $NET.$count, port $PORT, up in $((SECONDS - started)) s"
  ;;
down)
  for node in 1 2 3; do end_node $node KILL; done
  if [ "${2:-}" = --wipe ]; then rm -rf "$HOME_DIR/$NET".[123] "$TLS"; fi
  ;;
status)
  up=0
  for node in 1 2 3; do
    if answers "$NET.$node"; then
      echo "node $node on $NET.$node:$PORT responds, process $(pid_of $node || echo unknown)"
      up=1
    else
      echo "node $node on $NET.$node:$PORT does not respond"
    fi
  done
  [ $up = 1 ]
  ;;
start)
  one_node "${2:-}"
  require_tools
  resolve
  launch "$2"
  wait_for "$2"
  ;;
stop) one_node "${2:-}" && end_node "$2" TERM ;;
kill) one_node "${2:-}" && end_node "$2" KILL ;;
pause) one_node "${2:-}" && signal_node "$2" STOP ;;
resume) one_node "${2:-}" && signal_node "$2" CONT ;;
nodetool)
  one_node "${2:-}"
  shift
  nodetool "$@"
  ;;
resolve)
  require_tools
  resolve
  ;;
*)
  usage
  [ "${1:-}" = help ] || exit 2
  ;;
esac
