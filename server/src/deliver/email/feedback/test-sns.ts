/** Messages as SNS sends them, signed by a certificate of the test. */
import { sign } from 'node:crypto';
import { isoTime } from '../../../base/iso-time.ts';
import { type TestCertificate, testCertificate } from './test-certificate.ts';

export const testTopic = 'arn:aws:sns:eu-central-1:123456789012:carillon';
export const testCertificateUrl = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem';

let made: TestCertificate | null = null;
export function snsCertificate(): TestCertificate {
  made ??= testCertificate('sns.eu-central-1.amazonaws.com');
  return made;
}

export function snsMessage(
  message: string,
  nowMs: number,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const body: Record<string, string> = {
    Type: 'Notification',
    MessageId: 'm-1',
    TopicArn: testTopic,
    Message: message,
    Timestamp: isoTime(nowMs),
    SignatureVersion: '2',
    SigningCertURL: testCertificateUrl,
    ...more,
  };
  const fields =
    body.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = fields.flatMap((name) => (body[name] === undefined ? [] : [`${name}\n${body[name]}\n`])).join('');
  return { ...body, Signature: sign('sha256', Buffer.from(text), snsCertificate().privateKey).toString('base64') };
}
