/** The cases of test/flow/devices.test.ts on a cluster of real processes. */
process.env.CARILLON_TEST_ENGINE = 'cluster';
await import('../../flow/devices.test.ts');
