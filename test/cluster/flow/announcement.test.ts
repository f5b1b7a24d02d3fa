/** The cases of test/flow/announcement.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/announcement.test.ts');
