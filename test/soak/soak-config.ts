/** The service's configuration in a soak: its providers are the planned ones on this machine. */
import { generateKeyPairSync } from 'node:crypto';
import { appOf } from './soak-api.ts';

export interface ProviderPorts {
  readonly push: number;
  readonly mail: number;
}

/** As YAML, of which JSON is a part. */
export function soakConfig({ push, mail }: ProviderPorts): string {
  return JSON.stringify({
    push: pushSettings(push),
    email: {
      providers: ['smtp'],
      from: 'Soak <notify@app.example>',
      appUrl: 'https://app.example',
      publicUrl: 'https://notify.app.example',
      smtp: { host: '127.0.0.1', port: mail, tls: 'off', connections: 10 },
    },
  });
}

/** Both push services, at one port of this machine. */
export function pushSettings(port: number): object {
  const url = `https://localhost:${port}`;
  const pem = { format: 'pem', type: 'pkcs8' } as const;
  const apple = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem);
  const google = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem);
  const serviceAccount = JSON.stringify({
    project_id: 'soak',
    client_email: 'soak@soak.example',
    private_key_id: 'soak',
    private_key: google,
    token_uri: `${url}/token`,
  });
  return {
    apns: [{ teamId: 'SOAKSOAK01', keyId: 'SOAKSOAK02', key: apple, apps: [appOf.apns], url }],
    fcm: [{ serviceAccount, apps: [appOf.fcm], url }],
  };
}
