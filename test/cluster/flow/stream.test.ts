/** The cases of test/flow/stream.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/stream.test.ts');
