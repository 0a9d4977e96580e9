// The failure converter of `encryption`: messages and stack traces of failures become a payload, which the codec encrypts. Loaded by
// path, into the workflow bundle and into the processes of workers and clients. Knows no runs.

import { DefaultFailureConverter } from '@temporalio/common';
import { encodesFailuresMark } from '../protocol/encryption';

export const failureConverter = Object.assign(
  new DefaultFailureConverter({ encodeCommonAttributes: true }),
  { mark: encodesFailuresMark },
);
