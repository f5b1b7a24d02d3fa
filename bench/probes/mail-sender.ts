/**
 * Sends mails as fast as they are taken, with as many under way as UNDER_WAY says, for DURATION_MS, and prints what it did.
 * WAY: `ours` (words, composing and the SMTP provider, for each mail) or `bare` (a ready mail of the same parts by
 * nodemailer's own pool).
 */
import { createTransport } from 'nodemailer';
import { systemClock } from '../../server/src/base/clock.ts';
import { personKey } from '../../server/src/base/ids.ts';
import { builtInContent } from '../../server/src/content/live-content.ts';
import { composeEmail } from '../../server/src/deliver/email/compose-email.ts';
import type { EmailMessage } from '../../server/src/deliver/email/email-provider.ts';
import { EmailProviderSmtp } from '../../server/src/deliver/email/email-provider-smtp.ts';
import { EmailSecrets } from '../../server/src/deliver/email/email-secrets.ts';

const { WAY = 'ours', SMTP_PORT = '', DURATION_MS = '1000', UNDER_WAY = '50', CONNECTIONS = '5' } = process.env;
const port = Number(SMTP_PORT);
const connections = Number(CONNECTIONS);

interface Way {
  /** Sends one mail; false if it was not accepted. */
  readonly send: (i: number) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const secrets = new EmailSecrets('s'.repeat(32));
const options = {
  from: { name: 'Trips', address: 'notify@app.example' },
  senderName: 'Trips',
  postalAddress: '1 Main Street, Springfield',
  publicUrl: 'https://notify.app.example',
  secrets,
};

function messageOf(i: number): EmailMessage {
  const object = { kind: 'post', id: `p${i}`, title: 'My trip to the sea', url: `/p/${i}`, parent: null };
  const facts = { type: 'post.liked', actors: [{ id: 'a1', name: 'Ana' }], actorCount: 7, object, mentioned: false };
  const text = builtInContent.current.email(facts, 'en', 'https://app.example');
  const letter = { text, type: 'post.liked', category: 'reactions', isCritical: false, thread: `g${i}` };
  const to = { person: personKey('default', `u${i}`), address: `u${i}@people.example`, delivery: `d${i}` };
  return composeEmail({ kind: 'notification', ...letter }, to, options);
}

function ours(): Way {
  const usual = { host: '127.0.0.1', port, tls: 'off', login: null, heloName: null, returnPath: null } as const;
  const provider = new EmailProviderSmtp({ ...usual, connections, perSecond: null, dkim: null }, systemClock);
  return {
    send: async (i) => (await provider.send(messageOf(i))).kind === 'accepted',
    close: () => provider.close(),
  };
}

function bare(): Way {
  const pool = createTransport({ pool: true, host: '127.0.0.1', port, ignoreTLS: true, maxConnections: connections });
  const { subject, html, text, headers, messageId } = messageOf(0);
  return {
    async send(i) {
      const from = 'Trips <notify@app.example>';
      await pool.sendMail({
        from,
        to: `u${i}@people.example`,
        subject,
        html,
        text,
        headers: { ...headers },
        messageId,
      });
      return true;
    },
    async close() {
      pool.close();
    },
  };
}

const ways: Readonly<Record<string, () => Way>> = { ours, bare };

const way = (ways[WAY] as () => Way)();
// Connections, templates and words are there before it counts.
await Promise.all(Array.from({ length: 200 }, (_, i) => way.send(i)));
const beganMs = performance.now();
const beganCpu = process.cpuUsage();
const [count, failed] = await loop(way, beganMs + Number(DURATION_MS));
const ms = performance.now() - beganMs;
const { user, system } = process.cpuUsage(beganCpu);
console.log(JSON.stringify({ mails: count, failed, ms, cpuUs: user + system }));
await way.close();
process.exit(0);

async function loop({ send }: Way, untilMs: number): Promise<[count: number, failed: number]> {
  let [next, done, bad] = [1000, 0, 0];
  const worker = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const isTaken = await send(next++).catch(() => false);
      if (isTaken) done++;
      else bad++;
    }
  };
  await Promise.all(Array.from({ length: Number(UNDER_WAY) }, worker));
  return [done, bad];
}
