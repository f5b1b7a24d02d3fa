/**
 * WebSocket close codes of the stream. The range tells a client what to do: 4000–4099 reconnect with back-off,
 * 4100–4199 get a new token first, 4200–4299 do not reconnect.
 */
export const closeCodes = {
  draining: 4000,
  tooSlow: 4001,
  heartbeatMissed: 4002,
  /** We could not serve it just now. */
  unavailable: 4003,
  tokenExpired: 4100,
  tokenRevoked: 4101,
  /** No token came in time. */
  tokenMissing: 4102,
  /** This token may not stream, or the person has too many streams. */
  notAllowed: 4200,
  protocolError: 4201,
} as const;

export type CloseReason = keyof typeof closeCodes;
