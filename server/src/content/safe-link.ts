/**
 * Links that may be shown (C4): https, http on this machine, and paths within the app. Anything else (`javascript:`,
 * `//elsewhere`, a backslash that browsers read as a slash) becomes null, so it can become no link in any sink.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop control characters inside a scheme
const unusable = /[\u0000-\u0020\u007f\\]/;
const appPath = /^\/(?!\/)/;
const webAddress = /^https:\/\/[^/?#@]+|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/i;

export function safeLink(url: string | null): string | null {
  if (url === null || url === '' || unusable.test(url)) return null;
  return appPath.test(url) || webAddress.test(url) ? url : null;
}
