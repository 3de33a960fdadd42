// node_schemas.js - the JSON schemas of fast-json-stringify's own cases, by the
// name of the dataset.
'use strict'
const string = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const boolean = { type: 'boolean' }

function array (items) {
  return { type: 'array', items }
}

function object (properties, required) {
  return { type: 'object', properties, ...(required ? { required } : {}) }
}

function mixed () {
  const properties = {}
  for (let i = 1; i <= 5; i++) Object.assign(properties, { ['s' + i]: string, ['n' + i]: number, ['b' + i]: boolean })
  return object(properties)
}

const person = { firstName: string, lastName: string, age: integer }

module.exports = {
  fjs_short_string: string,
  fjs_quoted_string: string,
  fjs_long_string: string,
  fjs_long_quoted_string: string,
  fjs_number: number,
  fjs_integer: integer,
  fjs_date_time: { type: 'string', format: 'date-time' },
  fjs_list_of_numbers: array(number),
  fjs_list_of_strings: array(string),
  fjs_numbers: object({ items: array(number) }),
  fjs_integers: object({ items: array(integer) }),
  fjs_strings: object({ items: array(string) }),
  fjs_objects: object({ items: array(object({ s: string, n: number, b: boolean })) }),
  fjs_object_number: object({ num: number }),
  fjs_object_integer: object({ num: integer }),
  fjs_object_string: object({ str: string }),
  fjs_object_long_string: object({ str: string }),
  fjs_object_mixed: mixed(),
  fjs_object_simple: object(person),
  fjs_object_required: object(person, Object.keys(person)),
  fjs_object_constant: object({ text: { const: 'Hello' }, number: { const: 42 }, flag: { const: true }, kind: { const: 'FIXED' } })
}
