/** The providers that the configuration names, in its order: the first sends, the next takes over where it cannot (V4). */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { EmailProviderName, EmailSettings } from '../../base/config-email.ts';
import { mailbox } from '../../base/mailbox.ts';
import type { EmailProvider } from './email-provider.ts';
import { PacedEmailProvider } from './paced-email-provider.ts';

/** Each is loaded only where it is named. The settings have been checked (`email-problems.ts`). */
export function createEmailProviders(settings: EmailSettings, clock: Clock): Promise<readonly EmailProvider[]> {
  return Promise.all(
    settings.providers.map(async (name) => {
      const provider = await makers[name](settings, clock);
      const { perSecond } = provider.limits;
      return perSecond === null ? provider : new PacedEmailProvider(provider, perSecond, clock);
    }),
  );
}

type Maker = (settings: EmailSettings, clock: Clock) => Promise<EmailProvider>;

const makers: Record<EmailProviderName, Maker> = {
  async smtp({ smtp, returnPath }, clock) {
    const { EmailProviderSmtp } = await import('./email-provider-smtp.ts');
    const { username, password, tlsCaFile, heloName, perSecond, dkim, ...rest } = smtp;
    const { domain, selector, privateKey, privateKeyFile } = dkim;
    const key = privateKey ?? (privateKeyFile === undefined ? '' : readFileSync(privateKeyFile, 'utf8'));
    return new EmailProviderSmtp(
      {
        ...rest,
        ...(tlsCaFile !== undefined && { ca: readFileSync(tlsCaFile, 'utf8') }),
        login: username === undefined ? null : { user: username, pass: password ?? '' },
        heloName: heloName ?? null,
        returnPath: returnPath === undefined ? null : (mailbox(returnPath)?.address ?? null),
        perSecond: perSecond ?? null,
        dkim: domain === undefined || selector === undefined ? null : { domain, selector, privateKey: key },
      },
      clock,
    );
  },
  async ses({ ses }, clock) {
    const { EmailProviderSes } = await import('./email-provider-ses.ts');
    const { region = '', endpoint, configurationSet, perSecond } = ses;
    return new EmailProviderSes(
      {
        region,
        endpoint: endpoint ?? null,
        configurationSet: configurationSet ?? null,
        perSecond: perSecond ?? null,
        credentials: null,
      },
      clock,
    );
  },
  async sendgrid({ sendgrid }, clock) {
    const { EmailProviderSendgrid } = await import('./email-provider-sendgrid.ts');
    const { apiKey = '', baseUrl, perSecond } = sendgrid;
    return new EmailProviderSendgrid({ apiKey, baseUrl, perSecond: perSecond ?? null }, clock);
  },
  async mailgun({ mailgun }, clock) {
    const { EmailProviderMailgun } = await import('./email-provider-mailgun.ts');
    const { apiKey = '', domain = '', baseUrl, perSecond } = mailgun;
    return new EmailProviderMailgun({ apiKey, domain, baseUrl, perSecond: perSecond ?? null }, clock);
  },
};
