/** `carillon check email`: whether every mail provider takes our credentials, and what DNS says of our domain, in words. */
import { resolveTxt } from 'node:dns/promises';
import { systemClock } from './base/clock.ts';
import type { Config } from './base/config-schema.ts';
import { domainOf, mailbox } from './base/mailbox.ts';
import type { CredentialFinding } from './deliver/credential-finding.ts';
import { checkMailDomain, type ResolveTexts } from './deliver/email/check-mail-domain.ts';
import { createEmailProviders } from './deliver/email/create-email-providers.ts';

export async function runCheckEmail(
  { email }: Config,
  texts: ResolveTexts = textsOf,
): Promise<{ lines: string[]; isGood: boolean }> {
  const from = mailbox(email.from ?? '');
  if (email.providers.length === 0 || from === null) return { lines: [nothing], isGood: true };
  const providers = await createEmailProviders(email, systemClock);
  try {
    const { domain, selector } = email.smtp.dkim;
    const signs = email.providers.includes('smtp') && domain !== undefined && selector !== undefined;
    const sender = domainOf(from.address);
    const bounces = mailbox(email.returnPath ?? '')?.address;
    const names = {
      from: sender,
      returnPath: bounces === undefined ? sender : domainOf(bounces),
      dkim: signs ? { domain, selector } : null,
    };
    const asked = [...providers.map((provider) => provider.check()), checkMailDomain(names, texts)];
    const findings: CredentialFinding[] = (await Promise.all(asked)).flat();
    const lines = findings.map(({ what, isGood, text }) => `${isGood ? 'good ' : 'WRONG'} ${what}: ${text}`);
    return { lines, isGood: findings.every(({ isGood }) => isGood) };
  } finally {
    await Promise.all(providers.map((provider) => provider.close()));
  }
}

const nothing = 'No mail provider is configured: docs/EMAIL.md says how.';

async function textsOf(name: string): Promise<readonly string[]> {
  try {
    return (await resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes(String((error as { code?: unknown }).code))) return [];
    throw error;
  }
}
