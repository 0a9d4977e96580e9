/** The generations before 3 have other settings, do not check signatures, and take no output schema together with tools. */
function isBeforeThree(model: string): boolean {
  return /(?:^|\/)gemini-[12](?:[.-]|$)/.test(model);
}

export function checksSignatures(model: string): boolean {
  return !isBeforeThree(model);
}

export function takesSchemaWithTools(model: string): boolean {
  return !isBeforeThree(model);
}

export function hasThinkingLevels(model: string): boolean {
  return !isBeforeThree(model);
}
