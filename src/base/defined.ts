/** Without the members that are undefined: absent options are absent in the data too. */
export function defined<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members) as { [Key in keyof Value]?: Exclude<Value[Key], undefined> };
}
