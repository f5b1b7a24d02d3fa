/** Whether the person may not see what an event is about, or what that belongs to (BC-64). */
import type { EventFacts } from './event-facts.ts';
import type { RecipientFacts } from './recipient-facts.ts';

export function isLost({ thing, parent }: Pick<EventFacts, 'thing' | 'parent'>, facts: RecipientFacts): boolean {
  return [thing, parent].some((each) => {
    if (each === '') return false;
    const { lostMs, grantedMs } = facts.accessTo(each);
    return lostMs > grantedMs;
  });
}
