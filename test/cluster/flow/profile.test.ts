/** The cases of test/flow/profile.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/profile.test.ts');
