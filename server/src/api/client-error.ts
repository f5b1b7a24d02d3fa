/** Answers what never became a request: bytes that are no HTTP, headers too long, a request that did not arrive in time. */
import type { Socket } from 'node:net';
import { CarillonError } from '../base/carillon-error.ts';
import { problemAnswer } from './problem.ts';

export function answerClientError(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  // A peer that hung up reads no answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemAnswer(meaning(error.code), requestId);
  const head = Object.entries({
    ...problem.headers,
    'content-length': String(Buffer.byteLength(problem.body)),
    connection: 'close',
  });
  const reason = problem.status === 408 ? 'Request Timeout' : 'Bad Request';
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${problem.status} ${reason}\r\n${lines}\r\n${problem.body}`, () => socket.destroy());
}

function meaning(code: string | undefined): CarillonError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new CarillonError('CARILLON_REQUEST_TIMEOUT', 'The request did not arrive in time.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new CarillonError('CARILLON_REQUEST_MALFORMED', 'The headers are too large.');
  }
  return new CarillonError('CARILLON_REQUEST_MALFORMED', 'The request is not well-formed HTTP.');
}
