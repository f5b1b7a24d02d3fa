/** The cases of test/flow/log-and-aggregation.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/log-and-aggregation.test.ts');
