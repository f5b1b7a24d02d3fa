/** The cases of test/flow/isolation.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/isolation.test.ts');
