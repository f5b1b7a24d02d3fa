/** JSON merge patch (RFC 7396): null removes, an object merges, anything else replaces. Changes neither argument. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), part));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
