/** The operations about what could not be sent. */
import type { DeadLetterService } from '../deliver/dead-letters.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import type { Operation } from './operation.ts';
import { redriveDeadLetters } from './redrive-dead-letters.ts';

export function deadLetterOperations(letters: DeadLetterService): Operation[] {
  return [listDeadLetters(letters), redriveDeadLetters(letters)];
}
