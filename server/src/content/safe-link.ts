/**
 * Links that may be shown (C4): https, http on this machine, paths within the app, and schemes of the app's own where it has
 * declared them. Anything else (`javascript:`, `//elsewhere`, a backslash that browsers read as a slash) becomes null, so
 * it can become no link in any sink.
 */
export type LinkRule = (url: string | null) => string | null;

// One pattern, since a page asks it hundreds of times. No control character or space, which browsers drop.
const beginnings = '/(?!/)|https://[^/?#@]|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?=[:/?#]|$)';
const rest = '[^\\u0000-\\u0020\\u007f\\\\]*$';
const withUser = /^https?:\/\/[^/?#]*@/i;

/** `schemes`: of the app, such as `myapp` for `myapp://post/p1`. */
export function linkRule(schemes: readonly string[]): LinkRule {
  const own = schemes.map((scheme) => `|${scheme.replace(/[.+]/g, '\\$&')}://(?=[^/?#@])`).join('');
  const usable = new RegExp(`^(?:${beginnings}${own})${rest}`, 'i');
  return (url) => (url !== null && usable.test(url) && !withUser.test(url) ? url : null);
}

/** Without schemes of an app: for pictures, and for links in emails. */
export const safeLink: LinkRule = linkRule([]);
