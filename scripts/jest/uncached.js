// Read by test/workflow/harness.ts.
process.env.LONGHAUL_TEST_CACHED_WORKFLOWS = '0';
