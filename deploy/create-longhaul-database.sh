#!/bin/sh
# Creates Longhaul's own database and its owner, beside those of Temporal. Run again, it changes nothing but the password.
set -eu

psql --quiet --set ON_ERROR_STOP=1 --set password="$LONGHAUL_PASSWORD" <<'SQL'
select 'create role longhaul login' where not exists (select from pg_roles where rolname = 'longhaul') \gexec
alter role longhaul password :'password';
select 'create database longhaul owner longhaul' where not exists (select from pg_database where datname = 'longhaul') \gexec
revoke connect on database longhaul from public;
SQL
