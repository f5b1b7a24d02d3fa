/**
 * Preloaded into every test file's process: fails the file when something still keeps the process alive a while after its
 * last test. The runner itself would wait for ever. What was left open is named.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/**
 * What closes by itself, such as an idle connection, has this long to do so; a file's own clean-up counts into it, since
 * its hooks come later than this one.
 */
const graceMs = Number(process.env.OPEN_HANDLES_GRACE_MS || 5000);

// Neither the runner, which loads this too, nor a test's own threads.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    setTimeout(() => {
      console.error(`Left open after the last test: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(1);
    }, graceMs).unref();
  });
}
