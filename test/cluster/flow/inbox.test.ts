/** The cases of test/flow/inbox.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/inbox.test.ts');
