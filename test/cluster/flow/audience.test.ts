/** The cases of test/flow/audience.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/audience.test.ts');
