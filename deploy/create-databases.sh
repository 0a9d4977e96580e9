#!/bin/sh
# Creates Temporal's two databases and brings their tables up to date; run again it changes nothing.
set -eu

sql() {
  temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -p "$DB_PORT" -u "$POSTGRES_USER" --db "$@"
}

for name in temporal visibility; do
  database=temporal
  [ "$name" = visibility ] && database=temporal_visibility
  sql "$database" create
  sql "$database" setup-schema -v 0.0
  sql "$database" update-schema -d "/etc/temporal/schema/postgresql/v12/$name/versioned"
done
