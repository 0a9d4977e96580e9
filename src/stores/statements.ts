// What a database has to do for our stores: run SQL, as one transaction.

export type StatementValue = string | number;
export type StatementRow = Readonly<Record<string, unknown>>;

/** SQL with a value for each `?` in it. */
export type Statement = readonly [sql: string, values: readonly StatementValue[]];

/**
 * Runs the statements in order, all of them or none. After one that gives no row the rest are left out: so a write can depend on what
 * stands there. Gives the rows of each statement that ran.
 */
export type Statements = (
  ...statements: readonly Statement[]
) => Promise<readonly (readonly StatementRow[])[]>;
