/**
 * Port: what intake asks of audiences before it takes events for them (E5). Asked once a request, and only where some
 * event names one.
 */
export interface AudienceCheck {
  /**
   * Those of the audiences that do not exist. Throws CARILLON_OVERLOADED where so much waits to be fanned out that no
   * more is taken for now.
   */
  unknown(tenant: string, audiences: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Where no audiences are kept at all. */
export const noAudiences: AudienceCheck = {
  unknown: async (_tenant, audiences) => new Set(audiences),
};
