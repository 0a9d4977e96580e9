// A form from a JSON Schema: one field for each member. What no field can edit is edited as JSON.

export type Values = Readonly<Record<string, unknown>>;

/** Of the rules of a schema, those that a field knows. The server checks all of them. */
export type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

type Field = {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly error: string | undefined;
};

type FieldsProps = {
  readonly schema: Schema;
  readonly values: Values;
  /** What is wrong, by the name of the field. */
  readonly errors: Readonly<Record<string, string>>;
  readonly id: string;
};

export function Fields({ schema, values, errors, id }: FieldsProps) {
  return namesOf(schema, values).map((name) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const field = { name, value: values[name], isRequired, error: errors[name] };
    return <FieldView key={name} {...field} id={`${id}-${name}`} schema={schemaOf(schema, name)} />;
  });
}

function FieldView({ id, ...field }: Field & { readonly id: string }) {
  const { name, schema, error } = field;
  const notes = [schema.description && `${id}-help`, error && `${id}-error`].filter(Boolean);
  const aria = { 'aria-invalid': error !== undefined, 'aria-describedby': notes.join(' ') };
  return (
    <div className="field">
      <label htmlFor={id}>{words(name)}</label>
      <Control {...field} {...aria} id={id} />
      {schema.description && <small id={`${id}-help`}>{schema.description}</small>}
      {error && (
        <small id={`${id}-error`} className="error">
          {error}
        </small>
      )}
    </div>
  );
}

function Control({ schema, value, isRequired, error: _, ...given }: Field & { id: string }) {
  const common = { ...given, required: isRequired };
  switch (kindOf(schema, value)) {
    case 'choice':
      return (
        <select {...common} defaultValue={json(value)}>
          {!isRequired && <option value="">–</option>}
          {schema.enum?.map((choice) => (
            <option key={json(choice)} value={json(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      );
    case 'yes-no':
      return <input {...given} type="checkbox" defaultChecked={value === true} />;
    case 'number': {
      const bounds = { min: schema.minimum, max: schema.maximum };
      const step = schema.type === 'integer' ? 1 : 'any';
      return (
        <input {...common} {...bounds} type="number" step={step} defaultValue={shown(value)} />
      );
    }
    case 'text':
      return <input {...common} defaultValue={shown(value)} />;
    case 'json':
      return <textarea {...common} rows={3} defaultValue={json(value)} />;
  }
}

/** What a person put into the fields. A field that is empty and not required is left out. */
export function readFields(form: FormData, schema: Schema, values: Values): Values {
  const read = namesOf(schema, values).flatMap((name) => {
    const text = form.get(name) as string | null;
    const kind = kindOf(schemaOf(schema, name), values[name]);
    if (kind === 'yes-no') return [[name, text !== null]];
    const isLeftOut = text === '' && values[name] === undefined;
    if (text === null || isLeftOut) return [];
    return [[name, kind === 'text' ? text : parsed(text)]];
  });
  return Object.fromEntries(read) as Values;
}

type Kind = 'choice' | 'yes-no' | 'number' | 'text' | 'json';

const kinds: Readonly<Record<string, Kind>> = {
  boolean: 'yes-no',
  number: 'number',
  integer: 'number',
  string: 'text',
};

function kindOf({ enum: choices, type }: Schema, value: unknown): Kind {
  if (choices !== undefined) return 'choice';
  return kinds[type ?? typeof value] ?? 'json';
}

function namesOf({ properties = {} }: Schema, values: Values): readonly string[] {
  return [...new Set([...Object.keys(properties), ...Object.keys(values)])];
}

function schemaOf({ properties = {} }: Schema, name: string): Schema {
  return properties[name] ?? {};
}

/** What is no JSON stays a text, and the server says what it wants. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function shown(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return json(value);
}

export function json(value: unknown): string | undefined {
  return JSON.stringify(value);
}

/** The name of a tool or a member, for people: `book_train` is `Book train`. */
export function words(name: string): string {
  const text = name.replaceAll(/[_-]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A value as people read it: an object as a list of its members. */
export function ValueView({ value }: { readonly value: unknown }) {
  if (Array.isArray(value))
    return (
      <ul>
        {(value as readonly unknown[]).map((each, index) => (
          <li key={index}>
            <ValueView value={each} />
          </li>
        ))}
      </ul>
    );
  if (typeof value !== 'object' || value === null) return String(value);
  return (
    <dl>
      {Object.entries(value as Values).map(([name, member]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>
            <ValueView value={member} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
