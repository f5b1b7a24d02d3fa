/**
 * A mailbox as headers name it: `Name <name@domain>`, or the address alone. One address and nothing else, whatever a text
 * tries: no comma, no group, no line break, so that it can neither add a recipient nor a header (C4, BC-60).
 */
export interface Mailbox {
  /** Empty where there is none. */
  readonly name: string;
  readonly address: string;
}

// Dot-atoms, letters beyond ASCII among them (RFC 6531); what needs quotes in an address is not taken.
const atom = '[^\\s\\p{C}"(),:;<>@\\[\\]\\\\.]+';
const addressPattern = new RegExp(
  `^${atom}(?:\\.${atom})*@[^\\s\\p{C}"(),:;<>@\\[\\]\\\\_.]+(?:\\.[^\\s\\p{C}"(),:;<>@\\[\\]\\\\_.]+)*$`,
  'u',
);
const named = /^\s*"?([^"<>\p{C}]*?)"?\s*<([^<>]+)>\s*$/u;
const addressCharsMax = 254;
const localCharsMax = 64;

/** Null for what is none. */
export function mailbox(text: string): Mailbox | null {
  const parts = named.exec(text);
  const [name, address] = parts === null ? ['', text] : [parts[1] as string, parts[2] as string];
  return isAddress(address) ? { name, address } : null;
}

/** Whether a text is one address, and nothing but it. */
export function isAddress(text: string): boolean {
  return text.length <= addressCharsMax && addressPattern.test(text) && text.lastIndexOf('@') <= localCharsMax;
}

/** What stands behind the @, in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/**
 * The form in which two spellings of one address are the same: lower case, without white space around. Case before the @
 * matters to nobody's mailbox any more; dots and tags do, to some.
 */
export function normalAddress(address: string): string {
  return address.trim().normalize('NFC').toLowerCase();
}
