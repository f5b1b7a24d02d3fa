/** Caps as configured (D9). */
import type { CapSettings } from '../base/cap-settings.ts';
import type { Cap, CapRules } from './caps.ts';

type Configured = Pick<CapSettings['push'], 'perHour' | 'perDay'>;

export function capRulesOf({ push, email, categories }: CapSettings): CapRules {
  const own: Record<string, Partial<Record<'push' | 'email', Cap>>> = {};
  for (const each of categories) own[each.category] = { ...own[each.category], [each.channel]: capOf(each) };
  return { push: capOf(push), email: capOf(email), categories: own };
}

function capOf({ perHour, perDay }: Configured): Cap {
  return { hourMax: perHour, dayMax: perDay };
}
