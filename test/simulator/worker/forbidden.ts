// What in the sandbox would give workflow code real time: it throws, and the seed has failed, whether the code catches the error or not.
//
// 1. The SDK replaces `Date` and `Math.random`. The real `Date` stays in reach as the constructor of any date.
// 2. `performance`, `crypto` and `process` do not exist in the sandbox. Code that reaches for them fails its task, which fails the seed.

import { type Context, Script } from 'node:vm';

type Global = typeof globalThis & { readonly __TEMPORAL_ACTIVATOR__?: object };

/** `onUse` gets the stack of the code that did it. */
export function forbidRealTime(context: Context, onUse: (error: Error) => void): void {
  const install = new Script(`(${forbid.toString()})`).runInContext(context) as typeof forbid;
  install(onUse);
}

/** Runs in the sandbox, before the bundle does: it must need nothing from outside of itself. */
function forbid(onUse: (error: Error) => void): void {
  const refuse = (what: string): void => {
    // The SDK and shared modules load outside of any run.
    if ((globalThis as Global).__TEMPORAL_ACTIVATOR__ === undefined) return;
    const error = new Error(`workflow code used ${what}, which is not the same in a replay`);
    onUse(error);
    throw error;
  };
  const real = Date;
  const { now } = real;
  real.now = () => {
    refuse('the real Date.now()');
    return now();
  };
  const guarded: DateConstructor = new Proxy(real, {
    apply: (target, self, args) => {
      refuse('the real Date()');
      return Reflect.apply(target, self, args) as string;
    },
    construct: (target, args, made) => {
      if (args.length === 0) refuse('the real new Date()');
      return Reflect.construct(target, args, made === guarded ? target : made) as Date;
    },
  });
  real.prototype.constructor = guarded;
  globalThis.Date = guarded;
  const formats = Intl.DateTimeFormat.prototype;
  const { formatToParts } = formats;
  const format = Object.getOwnPropertyDescriptor(formats, 'format')?.get;
  Object.defineProperty(formats, 'format', {
    get(this: Intl.DateTimeFormat) {
      const bound = format?.call(this) as Intl.DateTimeFormat['format'];
      return (date?: Date | number) => {
        if (date === undefined) refuse('Intl.DateTimeFormat without a date');
        return bound(date);
      };
    },
  });
  formats.formatToParts = function (date) {
    if (date === undefined) refuse('Intl.DateTimeFormat without a date');
    return formatToParts.call(this, date);
  };
  Atomics.wait = () => {
    refuse('Atomics.wait()');
    return 'timed-out';
  };
}
