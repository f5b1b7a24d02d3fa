/** Configuration of caps: how many a person is sent of one category, by channel (D9). */
import { type Static, Type } from 'typebox';
import { limits } from './limits.ts';

const closed = { additionalProperties: false } as const;
const usual = limits.categoryCaps;

const most = (span: string, counted: { default?: number } = {}) =>
  Type.Integer({ minimum: 1, maximum: 1000, ...counted, description: `Most within any ${span}.` });

const ofChannel = (channel: keyof typeof usual) =>
  Type.Object(
    {
      perHour: most('hour', { default: usual[channel].hourMax }),
      perDay: most('24 hours', { default: usual[channel].dayMax }),
    },
    closed,
  );

export const CapSettings = Type.Object(
  {
    push: ofChannel('push'),
    email: ofChannel('email'),
    categories: Type.Array(
      Type.Object(
        {
          category: Type.String({ minLength: 1, maxLength: 32, description: 'Category, as types name it.' }),
          channel: Type.Enum(['push', 'email'], { description: '`push` or `email`.' }),
          perHour: most('hour'),
          perDay: most('24 hours'),
        },
        closed,
      ),
      {
        default: [],
        description:
          'Categories with caps of their own. What exceeds a cap comes as one summary; types of the lane `direct` and critical ones have none.',
      },
    ),
  },
  closed,
);

export type CapSettings = Static<typeof CapSettings>;
