/** The cases of test/flow/wishes.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/wishes.test.ts');
