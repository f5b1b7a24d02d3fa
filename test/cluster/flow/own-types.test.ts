/** The cases of test/flow/own-types.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/own-types.test.ts');
