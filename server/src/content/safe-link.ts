/**
 * Links that may be shown (C4): https, http on this machine, and paths within the app. Anything else (`javascript:`,
 * `//elsewhere`, a backslash that browsers read as a slash) becomes null, so it can become no link in any sink.
 */
// One pattern, since a page asks it hundreds of times. No control character or space, which browsers drop.
const usable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not occur
  /^(?:\/(?!\/)|https:\/\/[^/?#@]|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/?#]|$))[^\u0000-\u0020\u007f\\]*$/i;
const withUser = /^https?:\/\/[^/?#]*@/i;

export function safeLink(url: string | null): string | null {
  return url !== null && usable.test(url) && !withUser.test(url) ? url : null;
}
