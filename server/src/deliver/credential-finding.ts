/** What looking at credentials found, for people (`carillon check push`, `carillon check email`). */
export interface CredentialFinding {
  /** Which: `apns com.example.app production`. */
  readonly what: string;
  readonly isGood: boolean;
  /** A sentence: what is wrong and what to do, or what was seen to be good. Never a secret. */
  readonly text: string;
}
