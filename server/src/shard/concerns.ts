/** Whether a row is about a thing, about something that belongs to it, or has it among its members. */
import type { Group } from './group.ts';

export function concerns(group: Group, thing: string): boolean {
  const { item } = group;
  if (item.groupKey.endsWith(`\u0001${thing}`)) return true;
  const { object } = item;
  if (`${object.kind}:${object.id}` === thing) return true;
  if (object.parent !== null && `${object.parent.kind}:${object.parent.id}` === thing) return true;
  if (group.lacksMembers) return false;
  for (const member of group.members()) if (member.thing === thing) return true;
  return false;
}
