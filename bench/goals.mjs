// The figures, each with its goal, the command that is measured, and how. P1 to P21.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bulkAgainstPool,
  idsFile,
  largeAnswers,
  lookAgainstRequest,
  out,
  planAgainstRun,
  reading,
  reissues,
  slowAnswers,
  tableOnTerminal,
  withService,
} from './bulk.mjs';
import { growth } from './growth.mjs';
import { largeHistory, manyRuns } from './history.mjs';
import { bin, CARD, environment, isHere, peakMiB, ratio, root, scratch, seconds } from './measure.mjs';
import { availableNodes } from './nodes.mjs';

const empty = join(scratch, 'empty.cjs');
writeFileSync(empty, '');
const gh = [join(root, '.cache/peers/usr/bin/gh'), 'gh'].find((path) =>
  path === 'gh' ? isHere(path) : existsSync(path),
);
const executable = join(root, '.cache/exe', process.platform === 'win32' ? 'frontdesk.exe' : 'frontdesk');

const windowsNode = join(root, '.cache/windows/package/bin/node.exe');

/** Runs a program of this disk on Node for Windows, which takes no pipe of this system for its output. */
function underWine(program, ...args) {
  const script = `exec wine "$0" "$@" > ${join(scratch, 'wine')} 2>&1 < /dev/null`;
  return ['sh', '-c', script, windowsNode, `Z:${program.replaceAll('/', '\\')}`, ...args];
}

/** The executable holds Node 26. */
const node26 = () => availableNodes().find(({ major }) => major === '26')?.path ?? process.execPath;

/** One figure for each Node that is here. */
function onEachNode(goalOf, measure) {
  return availableNodes().map(({ major, path }) => ({
    on: `Node ${major}`,
    goal: goalOf(major),
    value: measure(path),
  }));
}

/** `best`: which way is better; a figure is met when it is at most or at least its goal. */
export const GOALS = [
  {
    id: 'P1',
    what: '`--version` / empty',
    command: 'frontdesk --version',
    best: 'low',
    measure: () =>
      onEachNode(
        () => 1.05,
        (node) => ratio([node, bin, '--version'], [node, empty]),
      ),
  },
  {
    id: 'P2',
    what: '`--help` / empty',
    command: 'frontdesk --help',
    best: 'low',
    measure: () =>
      onEachNode(
        () => 1.2,
        (node) => ratio([node, bin, '--help'], [node, empty]),
      ),
  },
  {
    id: 'P2b',
    what: 'help of one command / empty',
    command: 'frontdesk card block --help',
    best: 'low',
    measure: () =>
      onEachNode(
        () => 1.2,
        (node) => ratio([node, bin, 'card', 'block', '--help'], [node, empty]),
      ),
  },
  {
    id: 'P3',
    what: 'one card over loopback / empty',
    command: `frontdesk card get ${CARD} --json`,
    best: 'low',
    measure: () =>
      withService(0, (_, env) =>
        onEachNode(
          () => 2,
          (node) => ratio([node, bin, 'card', 'get', CARD, '--json'], [node, empty], { env }),
        ),
      ),
  },
  {
    id: 'P3c',
    what: 'the same with other options of V8, so without compiled code (Node 20)',
    command: `NODE_OPTIONS=--max-old-space-size=4096 frontdesk card get ${CARD} --json`,
    best: 'low',
    measure: () =>
      withService(0, (_, env) =>
        onEachNode(
          () => 4.2,
          (node) =>
            ratio([node, bin, 'card', 'get', CARD, '--json'], [node, empty], {
              env: { ...env, NODE_OPTIONS: '--max-old-space-size=4096' },
            }),
        ),
      ),
  },
  {
    id: 'P3e',
    what: 'standalone executable / empty, Node 26',
    command: `.cache/exe/frontdesk card get ${CARD} --json`,
    needs: existsSync(executable) ? undefined : 'npm run build:exe',
    best: 'low',
    measure: () =>
      withService(0, (_, env) => {
        const yardstick = [node26(), empty];
        return [
          { on: 'one card', goal: 1.8, value: ratio([executable, 'card', 'get', CARD, '--json'], yardstick, { env }) },
          { on: '--help', goal: 1, value: ratio([executable, '--help'], yardstick, { env }) },
        ];
      }),
  },
  {
    id: 'P3w',
    what: 'Node 22 for Windows under Wine / empty there',
    command: `frontdesk card get ${CARD} --json`,
    needs: existsSync(windowsNode) && isHere('wine') ? undefined : 'wine, and npm run test:windows',
    best: 'low',
    measure: () =>
      withService(0, (_, env) => {
        const inWine = { ...env, WINEPREFIX: join(root, '.cache/windows/prefix'), WINEDEBUG: '-all' };
        const against = (...args) => ratio(underWine(bin, ...args), underWine(empty), { env: inWine });
        return [
          { on: 'one card', goal: 2.3, value: against('card', 'get', CARD, '--json') },
          { on: '--version', goal: 1.1, value: against('--version') },
        ];
      }),
  },
  {
    id: 'P4',
    what: '`--version` / `gh --version`',
    command: 'frontdesk --version',
    needs: gh === undefined ? 'gh' : undefined,
    best: 'low',
    measure: () =>
      onEachNode(
        () => 0.7,
        (node) => ratio([node, bin, '--version'], [gh, '--version']),
      ),
  },
  {
    id: 'P5',
    what: 'rows a second of a reading run / a `Pool.request` loop',
    command: 'frontdesk card get --from ids.txt -j 16 -o ndjson -q',
    best: 'high',
    measure: () => bulkAgainstPool('GET', 20_000, { 16: 0.75 }),
  },
  {
    id: 'P5b',
    what: 'the same of a writing run with its journal',
    command: 'frontdesk card block --from ids.txt -j 16 (and 64) -o ndjson -q --yes',
    best: 'high',
    measure: () => bulkAgainstPool('POST', 20_000, { 16: 0.45, 64: 0.45 }),
  },
  {
    id: 'P6',
    what: 'rows a second at 50 ms latency / the most possible',
    command: 'frontdesk card get --from ids.txt -j 16 (and 64) -o ndjson -q',
    best: 'high',
    measure: () =>
      withService(50, (_, env) =>
        [16, 64].map((atOnce) => {
          const rows = atOnce * 200;
          const took = seconds(reading(idsFile(rows), atOnce), env, out);
          return { on: `${atOnce} at once`, goal: 0.95, value: (rows * 0.05) / atOnce / took };
        }),
      ),
  },
  {
    id: 'P6b',
    what: 'the same of 10,000 reissues, 16 at once',
    command: 'frontdesk card reissue --from ids.txt -j 16 -o ndjson -q --yes --again',
    best: 'high',
    isLong: true,
    measure: () => reissues(10_000, 16, 50),
  },
  {
    id: 'P7',
    what: 'the same with 64 at once / `curl --parallel`',
    command: 'frontdesk card get --from ids.txt -j 64 -o ndjson -q',
    needs: isHere('curl') ? undefined : 'curl',
    best: 'high',
    measure: () =>
      withService(50, (url, env) => {
        const file = idsFile(6400);
        const config = join(scratch, 'curl.txt');
        const ids = readFileSync(file, 'utf8').trimEnd().split('\n');
        writeFileSync(config, ids.map((id) => `url = "${url}/v1/cards/${id}"\n`).join(''));
        const curl = [
          'curl',
          '-sS',
          '--parallel',
          '--parallel-max',
          '64',
          '-H',
          'Authorization: Bearer x',
          '-K',
          config,
        ];
        return [
          {
            on: '',
            goal: 0.95,
            value: ratio(curl, reading(file, 64), { env, runs: 3, stdout: out }),
          },
        ];
      }),
  },
  {
    id: 'P8',
    what: 'rows a second / `xargs -P16 curl`',
    command: 'frontdesk card get --from ids.txt -j 16 -o ndjson -q',
    needs: isHere('curl') && isHere('xargs') ? undefined : 'curl and xargs',
    best: 'high',
    measure: () =>
      withService(0, (url, env) => {
        const few = idsFile(500);
        const many = idsFile(20_000);
        const script = `xargs -P16 -I{} curl -sS -H 'Authorization: Bearer x' ${url}/v1/cards/{} < ${few}`;
        const perRow = ratio(['sh', '-c', script], reading(many, 16), { env, runs: 3, stdout: out });
        return [{ on: '', goal: 55, value: (perRow * 20_000) / 500 }];
      }),
  },
  {
    id: 'P9',
    what: 'memory of a million rows / 300,000; the most',
    command: 'frontdesk card get --from ids.txt -j 16 -o ndjson -q',
    isLong: true,
    best: 'low',
    measure: () =>
      withService(0, (_, env) => {
        const [small, large] = [300_000, 1_000_000].map((rows) => {
          return peakMiB(reading(idsFile(rows), 16), env, 1);
        });
        return [
          { on: 'growth', goal: 1.1, value: large / small },
          { on: 'MiB', goal: 180, value: large },
        ];
      }),
  },
  {
    id: 'P10',
    what: 'memory of `--help` / empty',
    command: 'frontdesk --help',
    best: 'low',
    measure: () =>
      onEachNode(
        () => 1.2,
        (node) => peakMiB([node, bin, '--help'], environment()) / peakMiB([node, empty], environment()),
      ),
  },
  {
    id: 'P10b',
    what: 'memory of one card / empty',
    command: `frontdesk card get ${CARD} --json`,
    best: 'low',
    measure: () =>
      withService(0, (_, env) =>
        onEachNode(
          () => 1.4,
          (node) => peakMiB([node, bin, 'card', 'get', CARD, '--json'], env) / peakMiB([node, empty], env),
        ),
      ),
  },
  {
    id: 'P11',
    what: '10,000 cards as a table in a terminal, ms beyond NDJSON',
    command: "script -qec 'frontdesk card get --from ids.txt -j 16 -o table --quiet' /dev/null",
    needs: isHere('script') ? undefined : 'script, of util-linux',
    best: 'low',
    measure: () => tableOnTerminal(10_000),
  },
  {
    id: 'P12',
    what: 'a press of Tab in bash, ms',
    command: 'source completions/frontdesk.bash; frontdesk card <Tab>',
    needs: isHere('bash') ? undefined : 'bash',
    best: 'low',
    measure: () => {
      const script = `source ${root}completions/frontdesk.bash; COMP_WORDS=(frontdesk card ''); COMP_CWORD=2
        from=\${EPOCHREALTIME/[.,]/}; for n in {1..200}; do _frontdesk; done; to=\${EPOCHREALTIME/[.,]/}; echo $((to - from))`;
      const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
      return [{ on: '', goal: 5, value: Number(stdout) / 1000 / 200 }];
    },
  },
  {
    id: 'P13',
    what: '`--version` of the executable / empty, Node 26',
    command: 'npm run build:exe && .cache/exe/frontdesk --version',
    needs: existsSync(executable) ? undefined : 'npm run build:exe',
    best: 'low',
    measure: () => {
      return [{ on: 'Node 26', goal: 1, value: ratio([executable, '--version'], [node26(), empty]) }];
    },
  },
  {
    id: 'P14',
    what: 'the package',
    command: 'npm pack',
    best: 'low',
    measure: () => {
      const args = ['pack', '--json', '--dry-run', '--ignore-scripts'];
      const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
      const [packed] = Object.values(JSON.parse(stdout));
      const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      return [
        { on: 'MB', goal: 1, value: packed.size / 1e6 },
        { on: 'MB installed', goal: 3, value: packed.unpackedSize / 1e6 },
        { on: 'packages', goal: 0, value: Object.keys(dependencies).length },
      ];
    },
  },
  {
    id: 'P15',
    what: 'rows a second of `plan apply` / a run and a read of each',
    command: 'frontdesk plan apply cards.plan -j 16 -o ndjson -q --yes',
    best: 'high',
    measure: () => planAgainstRun(10_000),
  },
  {
    id: 'P16',
    what: 'second read of a card at the desk / undici alone and 20 ms',
    command: 'frontdesk desk',
    best: 'low',
    measure: () => lookAgainstRequest(),
  },
  {
    id: 'P17',
    what: 'rows a second with 1 % late responses / printing as they come',
    command: 'frontdesk card get --from ids.txt -j 8 -o ndjson -q',
    best: 'high',
    measure: () => slowAnswers(1000),
  },
  {
    id: 'P18',
    what: 'history of 400,000 changes / `--version`',
    command: 'frontdesk history --limit 50 (and --id <card>)',
    best: 'low',
    measure: () => largeHistory(),
  },
  {
    id: 'P19',
    what: 'most MiB of responses of 20 MB, 64 at once',
    command: 'frontdesk card get (and block --yes) --from ids.txt -j 64 -o ndjson -q',
    isLong: true,
    best: 'low',
    measure: () => largeAnswers(),
  },
  {
    id: 'P20',
    what: 'a million subscribers / 100,000: `--changed-from`, `plan apply`, `runs results`, `runs report`',
    command:
      'frontdesk calendar subscribers update --from new.csv --changed-from old.csv --plan all.plan; plan apply; runs results; runs report',
    isLong: true,
    best: 'low',
    measure: () => growth(),
  },
  {
    id: 'P21',
    what: '400,000 changes beside 1,000 and 20,000 runs, processor time, ms',
    command: `frontdesk card block ${CARD} --yes; runs list --limit 5; history`,
    best: 'low',
    measure: () => manyRuns(),
  },
];
