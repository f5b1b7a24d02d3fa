/** The cases of test/flow/mail.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/mail.test.ts');
