/** The cases of test/flow/deliver.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/deliver.test.ts');
