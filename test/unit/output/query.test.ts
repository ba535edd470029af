import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/json/parse.ts';
import { printJson } from '../../../src/json/print.ts';
import { compileQuery } from '../../../src/output/query.ts';

const CARDS = parseJson(`[
  {"id":"a","amount":10.10,"big":12345678901234567.89,"zero":-0,"exp":1E2,"huge":1e400,"tags":["x","y"],"__proto__":"p","10":1,"2":2},
  {"id":"b","amount":9.5,"big":12345678901234567.88,"zero":1.0,"exp":99,"huge":1e399,"tags":[],"name":"10.10"},
  {"id":"c","amount":100,"big":1,"zero":19.999999999999999,"exp":1e-400,"huge":2,"tags":["z"]}
]`);

function query(expression: string, value = CARDS): string {
  return printJson(compileQuery(expression)(value));
}

describe('--query', () => {
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
    ['avg([].amount)', '39.866666666666666666'],
    ['`10.10`', '10.10'],
    ['`{"a":[12345678901234567.89]}`', '{"a":[12345678901234567.89]}'],
    ['{b:`1.50`,"10":[0].amount,a:`2`}', '{"b":1.50,"10":10.10,"a":2}'],
    ['[0].__proto__', '"p"'],
    ['[0].keys(@)', '["id","amount","big","zero","exp","huge","tags","__proto__","10","2"]'],
    ['[0].toString', 'null'],
    ['nothing.here', 'null'],
    ['[?id==`"zz"`]', '[]'],
    ['[].tags[]', '["x","y","z"]'],
    ['[-1].id', '"c"'],
    ['[-9].id', 'null'],
    ['[::-1].id', '["c","b","a"]'],
    ['[0:2].id', '["a","b"]'],
    ['[*].tags | [0]', '["x","y"]'],
    ['[0].id[0:1]', '"a"'],
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
    ['[0].amount + `0.20`', '10.3'],
    ['[0].amount - [1].amount', '0.6'],
    ['`7` // `2`', '3'],
    ['`-7` // `2`', '-4'],
    ['`7` % `3`', '1'],
    ['`1` / `8`', '0.125'],
    ['+[0].amount', '10.10'],
    ['not_null(nothing,[0].id)', '"a"'],
    ['merge(`{"a":1.0}`,`{"b":2,"a":3.0}`)', '{"a":3.0,"b":2}'],
    ['group_by(@,&id).b[0].amount', '9.5'],
    ['items(`{"a":1.0}`)', '[["a",1.0]]'],
    ['from_items(`[["a",1.0]]`)', '{"a":1.0}'],
    ['zip([].id,[].amount)[0]', '["a",10.10]'],
    ['map(&amount,@)', '[10.10,9.5,100]'],
    ["split('a-b-c','-',`1`)", '["a","b-c"]'],
    ["replace('aaa','a','$&',`2`)", '"$&$&a"'],
    ["trim('  x ')", '"x"'],
    ["trim_left('--x-','-')", '"x-"'],
    ["trim_right('--x-','-')", '"--x"'],
    ["pad_left('5',`3`,'0')", '"005"'],
    ["pad_right('5',`3`)", '"5  "'],
    ["find_first('a😀a','a',`1`)", '2'],
    ["find_last('abab','ab')", '2'],
    ["find_first('abc','z')", 'null'],
    ["starts_with('abc','ab') && ends_with('abc','bc')", 'true'],
    ["upper('ß') || lower('X')", '"SS"'],
    ['let $x = [0].amount in [?amount==$x].id', '["a"]'],
    ['[0].amount > `10` ? [0].id : [1].id', '"a"'],
    ['!`0`', 'false'],
    ["'lit`eral#0'", '"lit`eral#0"'],
    ['`"a\\`b"`', '"a`b"'],
    ['values([1])[0]', '"b"'],
    ['$[0].id', '"a"'],
    ['[?`true`] | length(@)', '3'],
    ['to_array([0].id)', '["a"]'],
  ])('%s answers %s', (expression, answer) => {
    expect(query(expression)).toBe(answer);
  });

  it.each([
    'foo[',
    'foo bar',
    '',
    '`{bad json}`',
    '`{"a":1,"a":2',
    'nosuch(@)',
    'length()',
    'length(@,@)',
    'sort_by(@)',
    '[::0]',
    '$nosuch',
    '(('.repeat(50_000),
  ])('refuses the expression %.40s when it is compiled, before anything is sent', (expression) => {
    expect(() => compileQuery(expression)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('names the expression and what is wrong', () => {
    expect(() => compileQuery('nosuch(@)')).toThrow('--query "nosuch(@)": there is no function nosuch()');
    expect(() => compileQuery('length(@,@)')).toThrow('length() takes 1 arguments, 2 given');
  });

  it.each([
    ['sum([].id)', 'sum() wants only numbers as argument 1, got string'],
    ['sort([].[id][])', undefined],
    ['sort(`[1,"a"]`)', 'sort() wants only numbers or only strings, got string and number'],
    ['sort_by(@,&name)', 'sort_by() wants only numbers or only strings, got null and null'],
    ['`1` / `0`', 'division by zero'],
    ["'a' + `1`", 'arithmetic wants two numbers, got string and number'],
    ['`1e9999999` + `1`', 'the numbers are too far apart for arithmetic'],
  ])('%s that does not fit the result is a usage failure', (expression, reason) => {
    const run = compileQuery(expression);
    if (reason === undefined) expect(run(CARDS)).toEqual(['a', 'b', 'c']);
    else expect(() => run(CARDS)).toThrow(reason);
  });

  it('keeps a literal with a key twice out', () => {
    expect(() => compileQuery('`{"a":1,"a":2}`')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
