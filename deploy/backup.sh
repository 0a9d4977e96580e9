#!/bin/sh
# Writes a dump of each database to /backups. Restore one with: pg_restore --clean --if-exists --dbname NAME FILE
set -eu

now=$(date -u +%Y-%m-%dT%H-%M-%SZ)
for database in temporal temporal_visibility longhaul; do
  file="/backups/$database-$now.dump"
  pg_dump --format custom --file "$file.part" "$database"
  mv "$file.part" "$file"
  echo "$file"
done
