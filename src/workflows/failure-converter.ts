// The failure converter of `encryption`. It turns messages and stack traces of failures into a payload, and the codec encrypts it. The
// workflow bundle, workers and clients load this file by path. Knows no runs.

import { DefaultFailureConverter } from '@temporalio/common';
import { encodesFailuresMark } from '../protocol';

export const failureConverter = Object.assign(
  new DefaultFailureConverter({ encodeCommonAttributes: true }),
  { mark: encodesFailuresMark },
);
