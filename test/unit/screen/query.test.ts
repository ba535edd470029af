import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { compileQuery } from '../../../src/screen/query.ts';

const CARDS = parseJson(`[
  {"id":"a","amount":10.10,"big":12345678901234567.89,"zero":-0,"exp":1E2,"huge":1e400,"tags":["x","y"],"__proto__":"p","10":1,"2":2},
  {"id":"b","amount":9.5,"big":12345678901234567.88,"zero":1.0,"exp":99,"huge":1e399,"tags":[],"name":"10.10"},
  {"id":"c","amount":100,"big":1,"zero":19.999999999999999,"exp":1e-400,"huge":2,"tags":["z"]}
]`);

const query = (expression: string, value = CARDS) => printJson(compileQuery(expression)(value));

it.each([
  ['[0].amount', '10.10'],
  ['[].big', '[12345678901234567.89,12345678901234567.88,1]'],
  ['[].[zero,exp,huge]', '[[-0,1E2,1e400],[1.0,99,1e399],[19.999999999999999,1e-400,2]]'],
  ['[?amount==`10.1`].id', '["a"]'],
  ['[?amount==`1.01e1`].id', '["a"]'],
  ["[?amount=='10.10'].id", '[]'],
  ["[?name=='10.10'].id", '["b"]'],
  ['[?big>`12345678901234567.88`].id', '["a"]'],
  ['[?huge>`1e399`].id', '["a"]'],
  ['[?amount>=`9.50` && amount<`100`].id', '["a","b"]'],
  ['[?amount!=`10.10`].id', '["b","c"]'],
  ['[?id>`1`].id', '[]'],
  ['sort_by(@,&amount)[].id', '["b","a","c"]'],
  ['sort([].amount)', '[9.5,10.10,100]'],
  ['max_by(@,&big).big', '12345678901234567.89'],
  ['min_by(@,&amount).amount', '9.5'],
  ['max_by(@,&id).id', '"c"'],
  ['max([].huge)', '1e400'],
  ['min([].exp)', '1e-400'],
  ['sum([].amount)', '119.6'],
  ['sum([:2].big)', '24691357802469135.77'],
  ['avg([].amount)', '39.866666666666666666'],
  ['`10.10`', '10.10'],
  ['[`null`,`false`,`""`,`0`]', '[null,false,"",0]'],
  ['[0].nope == `null`', 'true'],
  ['not_null(`null`,[0].id)', '"a"'],
  ['`{"a":[12345678901234567.89]}`', '{"a":[12345678901234567.89]}'],
  ['{b:`1.50`,"10":[0].amount,a:`2`}', '{"b":1.50,"10":10.10,"a":2}'],
  ['[0].__proto__', '"p"'],
  ['[0].keys(@)', '["id","amount","big","zero","exp","huge","tags","__proto__","10","2"]'],
  ['[0].toString', 'null'],
  ['nothing.here', 'null'],
  ['nothing | {a: b}', 'null'],
  ['`[null,1]`[].[@]', '[[1]]'],
  ['[?id==`"zz"`]', '[]'],
  ['[].tags[]', '["x","y","z"]'],
  ['[-1].id', '"c"'],
  ['[-9].id', 'null'],
  ['[::-1].id', '["c","b","a"]'],
  ['[0:2].id', '["a","b"]'],
  ['[*].tags | [0]', '["x","y"]'],
  ['[0].id[0:1]', 'null'],
  ['[2:0:-2].id', '["c"]'],
  ['[0].*', '["a",10.10,12345678901234567.89,-0,1E2,1e400,["x","y"],"p",1,2]'],
  ['contains([].amount,`10.1`)', 'true'],
  ["[?contains(tags,'x')].id", '["a"]'],
  ['length(@)', '3'],
  ["length('日本😀')", '3'],
  ["reverse('a😀')", '"😀a"'],
  ["join(', ',[].id)", '"a, b, c"'],
  ["to_number('10.10')", '10.10'],
  ["to_number('x')", 'null'],
  ['to_string([0].amount)', '"10.10"'],
  ["to_string('x')", '"x"'],
  ['type([0].amount)', '"number"'],
  ['abs(`-10.10`)', '10.10'],
  ['ceil(`1.2`)', '2'],
  ['floor(`-1.2`)', '-2'],
  ['ceil(`0.0`)', '0'],
  ['not_null(nothing,[0].id)', '"a"'],
  ['merge(`{"a":1.0}`,`{"b":2,"a":3.0}`)', '{"a":3.0,"b":2}'],
  ['map(&amount,@)', '[10.10,9.5,100]'],
  ["starts_with('abc','ab') && ends_with('abc','bc')", 'true'],
  ['!`0`', 'false'],
  ["'lit`eral#0'", '"lit`eral#0"'],
  ['`"a\\`b"`', '"a`b"'],
  ['values([1])[0]', '"b"'],
  ['[?`true`] | length(@)', '3'],
  ['to_array([0].id)', '["a"]'],
])('B15 --query: %s answers %s', (expression, answer) => expect(query(expression)).toBe(answer));

it.each([
  ...['foo[', 'a b', '', '`{bad json}`', '`{"a":1,"a":2', '`{"a":1,"a":2}`', 'nosuch(@)', 'length()', 'length(@,@)'],
  ...['sort_by(@)', '[::0]', 'sort_by(transactions, amount)', 'max_by(transactions, amount)', 'length(`false`)'],
  ...["sum('10')", 'sum(`[1,"a"]`)', 'sort(&amount)', '!metadata.vip', '[?!a.b]', '(a==b).c', '`1`.a'],
  ...['[?amount > `true`]', '$nosuch', '(('.repeat(50_000)],
])('--query refuses the expression %.40s when it is compiled, before anything is sent', (expression) => {
  expect(() => compileQuery(expression)).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

it.each([
  ['[0].amount + `0.20`', 'arithmetic is'],
  ['[?amount // `2` == `5`]', 'arithmetic is'],
  ['-amount', 'a sign is'],
  ['$[0].id', '$ is'],
  ['let $x = [0].amount in [?amount==$x].id', 'let is'],
  ['$nosuch', 'a variable is'],
  ['[0].amount > `10` ? [0].id : [1].id', 'the choice a ? b : c is'],
])('--query refuses the extension %s in words', (expression, what) => {
  expect(() => compileQuery(expression)).toThrow(
    `--query ${JSON.stringify(expression)}: ${what} an extension that is not part of JMESPath`,
  );
});

it.each([
  ...['find_first', 'find_last', 'from_items', 'group_by', 'items', 'lower', 'pad_left', 'pad_right', 'replace'],
  ...['split', 'trim', 'trim_left', 'trim_right', 'upper', 'zip'],
])('--query has no function %s, which JMESPath does not have either', (name) => {
  expect(() => compileQuery(`${name}(@)`)).toThrow(`there is no function ${name}()`);
});

it('--query names the expression and what is wrong', () => {
  expect(() => compileQuery('nosuch(@)')).toThrow('--query "nosuch(@)": there is no function nosuch()');
  expect(() => compileQuery('length(@,@)')).toThrow('length() takes 1 arguments, 2 given');
  // As few as are too many: reading some of them takes seconds.
  expect(() => compileQuery('`\\'.repeat(5001))).toThrow('it is longer than 10,000 characters');
  expect(printJson(compileQuery(`'${'literal#'.repeat(1249)}'`)(null))).toHaveLength(9994);
});

it.each([
  ['sum([].id)', 'sum() wants only numbers as argument 1, got string'],
  ['sort([].[id][])', undefined],
  ['sort([[0].id,[0].amount])', 'sort() wants only numbers or only strings, got number and string'],
  ['sort_by(@,&name)', 'sort_by() wants only numbers or only strings, got null and null'],
  ...['|[@,@]', '|[@,@][]', "|join('',[to_string(@),to_string(@)])"].map((step): [string, string] => [
    `@${step.repeat(40)}`,
    'what it makes is too large',
  ]),
  ['sum(`[1e9999999,1]`)', 'the numbers are too different in size for arithmetic'],
])('--query: %s that does not fit the result is a usage failure', (expression, reason) => {
  const run = compileQuery(expression);
  if (reason === undefined) expect(run(CARDS)).toEqual(['a', 'b', 'c']);
  else expect(() => run(CARDS)).toThrow(reason);
});

it.each(['[?amount > 10]', 'metadata.order-id', "[?'a-b' == 1.5]", '['])(
  '--query %s is refused with what is probably meant',
  (expression) => {
    const hints = [
      'write it as JMESPath (https://jmespath.site): numbers in backticks, names with a dash in quotes, such as [?amount > `10`]."order-id"',
    ];
    expect(() => compileQuery(expression)).toThrow(expect.objectContaining({ code: 'USAGE', hints }));
  },
);

it.each([
  ["[?name>'10'].id", '["b"]'],
  ["'2026-10-31T09:00:00.000Z' < '2026-11-01'", 'true'],
  ["'😀' > '￿'", 'true'],
  ["'a' <= 'a'", 'true'],
  ['[?id > amount]', '[]'],
])('--query compares texts by code points: %s', (expression, answer) => expect(query(expression)).toBe(answer));

it.each([
  ['[?id == "ACTIVE"]', ["nothing in the result has a field ACTIVE: the text is written 'ACTIVE'"]],
  ['[?id != BLOCKED]', ["nothing in the result has a field BLOCKED: the text is written 'BLOCKED'"]],
  ['[?amount == true]', ['nothing in the result has a field true: the value is written `true`']],
  ['[?id == name]', []],
  ["[?nope == 'x']", []],
])('--query %s says which names nothing has', (expression, oddities) => {
  const run = compileQuery(expression);
  run(CARDS);
  expect(run.oddities()).toEqual(oddities);
  const ofNothing = compileQuery(expression);
  ofNothing([]);
  expect(ofNothing.oddities()).toEqual([]);
});
