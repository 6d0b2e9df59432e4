#!/bin/sh
# A real NTLM server for tests: Apache with mod_auth_gssapi and gss-ntlmssp in front of a backend on loopback.
#   ci-peers.sh install
#   ci-peers.sh start DIR PORT BACKEND_PORT   (reads DIR/users.txt: DOMAIN:USER:PASSWORD lines)
#     KEEP_ALIVE_TIMEOUT=30 in the environment: seconds after which Apache closes an idle connection
#   ci-peers.sh stop DIR
# For throwaway accounts only: the access log holds the Authorization headers.
set -eu

install_peers() {
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
  fi
  apt-get update -q
  # a kubectl of another origin is as good, and Debian's cannot be installed beside it
  command -v kubectl > /dev/null || kubectl=kubernetes-client
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    prometheus prometheus-node-exporter prometheus-blackbox-exporter prometheus-alertmanager apache2-bin libapache2-mod-auth-gssapi gss-ntlmssp python3-gssapi winbind samba libnss-wrapper nginx-light haproxy curl openssl chromium docker-compose jsonnet debootstrap iproute2 slurmctld slurmd slurm-client postgresql minisign gnupg ${kubectl:-}
}

start_apache() {
  dir=$1 port=$2 backend=$3
  mkdir -p "$dir/run" "$dir/logs"
  chmod 755 "$dir"
  chmod 777 "$dir/logs"
  {
    echo "ServerRoot $dir"
    echo "ServerName localhost"
    echo "DefaultRuntimeDir $dir/run"
    echo "PidFile $dir/run/httpd.pid"
    if [ "$(id -u)" = 0 ]; then
      echo "User www-data"
      echo "Group www-data"
    fi
    echo "Listen 127.0.0.1:$port"
    for name in mpm_event authn_core authz_core authz_user headers env proxy proxy_http auth_gssapi; do
      echo "LoadModule ${name}_module /usr/lib/apache2/modules/mod_$name.so"
    done
    cat <<CONF
LogLevel warn auth_gssapi:info
ErrorLog $dir/logs/error.log
LogFormat "%{remote}p %k \"%r\" %>s u=%u auth=%{Authorization}i" ntlm
CustomLog $dir/logs/access.log ntlm
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout ${KEEP_ALIVE_TIMEOUT:-30}
<Location />
  Require all denied
</Location>
<Location /analyzer>
  AuthType GSSAPI
  AuthName analyzer
  GssapiAllowedMech ntlmssp
  GssapiConnectionBound On
  GssapiSignalPersistentAuth On
  Require valid-user
  RequestHeader set X-Remote-User "expr=%{REMOTE_USER}"
  ProxyPass http://127.0.0.1:$backend/analyzer
</Location>
CONF
  } > "$dir/httpd.conf"
  NTLM_USER_FILE="$dir/users.txt" NETBIOS_COMPUTER_NAME=LICSRV NETBIOS_DOMAIN_NAME=CORP \
    /usr/sbin/apache2 -d "$dir" -f "$dir/httpd.conf" -k start
  for _ in $(seq 50); do
    if curl -s -o /dev/null "http://127.0.0.1:$port/"; then exit 0; fi
    sleep 0.1
  done
  cat "$dir/logs/error.log" >&2
  exit 1
}

case ${1:-} in
  install) install_peers ;;
  start) start_apache "$2" "$3" "$4" ;;
  stop) kill "$(cat "$2/run/httpd.pid")" ;;
  *) echo "usage: $0 install | start DIR PORT BACKEND_PORT | stop DIR" >&2; exit 2 ;;
esac
