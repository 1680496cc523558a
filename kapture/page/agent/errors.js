// Errors of the agent.

/** An error that the hub passes on to the client; codes are those of kapture/errors.py. */
export class AgentError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {string} [hint]
   * @param {Record<string, unknown>} [data]
   */
  constructor(code, message, hint = "", data = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.data = data;
  }
}
