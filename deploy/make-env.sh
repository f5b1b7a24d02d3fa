#!/usr/bin/env sh
# Writes deploy/.env with secrets of its own for compose.yaml, once, and shows the one thing the app needs to keep: the key
# it sends events with. Only the key's hash is stored.
set -eu
file=$(dirname "$0")/.env
if [ -e "$file" ]; then
  echo "$file is there already; remove it for new secrets (all keys and tokens then change)." >&2
  exit 1
fi
key=ck_app_$(openssl rand -hex 32)
umask 077
cat >"$file" <<END
CARILLON_CURSOR_SECRET=$(openssl rand -hex 32)
CARILLON_TOKEN_SECRET=$(openssl rand -hex 32)
PRODUCER_KEY_HASH=$(printf %s "$key" | openssl dgst -sha256 -r | cut -c 1-64)
USER_TOKEN_SECRET=$(openssl rand -hex 32)
ENCRYPTION_KEY=$(openssl rand -base64 32)
CARILLON_INDEX_KEY=$(openssl rand -base64 32)
POSTGRES_PASSWORD=$(openssl rand -hex 16)
END
echo "Wrote $file. Send events with: Authorization: Bearer $key"
