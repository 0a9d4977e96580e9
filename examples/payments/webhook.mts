import { type Json, LonghaulError } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import type { Route } from './office-server.mts';

/**
 * Takes the results of the bank. The token says which call of which run they are for, and is all that the bank has. A result that comes
 * twice counts once; a wrong token says nothing about any run.
 */
export function bankWebhook(longhaul: Longhaul): Route {
  return async (body, { headers }) => {
    const [, token = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    try {
      await longhaul.completeByToken(token, body as Json);
      return 204;
    } catch (error) {
      const code = LonghaulError.is(error) ? error.code : 'InternalError';
      if (code === 'TokenInvalid') return 401;
      if (code === 'InvalidAnswer') return 422;
      return code === 'AlreadyAnswered' ? 409 : 503;
    }
  };
}
