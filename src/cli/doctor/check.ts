export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One thing `doctor` looked at; `todo` says what to do about it. */
export type Check = {
  readonly name: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly todo?: string;
};
