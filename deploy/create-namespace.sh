#!/bin/sh
# Creates the namespace of TEMPORAL_NAMESPACE once the server answers; one that is there stays as it is.
set -eu

until temporal operator cluster health; do sleep 2; done
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --retention 30d --namespace "$TEMPORAL_NAMESPACE"
