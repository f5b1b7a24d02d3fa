/** The cases of test/flow/broadcast.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/broadcast.test.ts');
