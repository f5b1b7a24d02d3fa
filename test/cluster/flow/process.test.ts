/** The cases of test/flow/process.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/process.test.ts');
