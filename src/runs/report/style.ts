/** The colors of shapes and their text in the light: as attributes, which any style overrules. */
export const FILLS: Readonly<Record<string, string>> = {
  applied: '#2da44e',
  confirmed_by_read: '#1b7c83',
  skipped: '#6e7781',
  rejected: '#cf222e',
  not_sent: '#8c959f',
  unknown: '#bf8700',
  bar: '#0969da',
  line: '#d0d7de',
  text: '#57606a',
};

const LIGHT = Object.entries(FILLS)
  .filter(([name]) => name !== 'line' && name !== 'text')
  .map(([name, fill]) => `--${name}:${fill}`)
  .join(';');

/** The style of the html report: plain, readable on a phone, on paper and in the dark. */
export const STYLE = `
:root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--back:#fff;--panel:#f6f8fa;--line:#d0d7de;--good:#1a7f37;--warn:#9a6700;${LIGHT}}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9da7b3;--back:#0d1117;--panel:#161b22;--line:#3d444d;--good:#3fb950;--warn:#d29922;--applied:#3fb950;--confirmed_by_read:#39c5cf;--skipped:#6e7681;--rejected:#f85149;--not_sent:#848d97;--unknown:#d29922;--bar:#4493f8}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.75rem;line-height:1.2;margin:.25rem 0 .75rem;padding-left:.75rem;border-left:.375rem solid var(--warn)}
.good h1{border-color:var(--good)}
h2{font-size:1.15rem;margin:2.25rem 0 .75rem}
h3{font-size:1rem;margin:1.25rem 0 .5rem}
p,ul{margin:.5rem 0}
.kind,footer,.note{color:var(--soft)}
.kind{margin:0;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.25rem;margin:0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
svg{display:block;overflow:hidden}
svg text{fill:var(--soft);font-size:13px}
.applied{fill:var(--applied)}.confirmed_by_read{fill:var(--confirmed_by_read)}.skipped{fill:var(--skipped)}.rejected{fill:var(--rejected)}.not_sent{fill:var(--not_sent)}.unknown{fill:var(--unknown)}.bar{fill:var(--bar)}.line{fill:var(--line)}
.key{display:inline-block;width:.75rem;height:.75rem;margin-right:.5rem}
/* A shadow at an edge says that there is more beyond it. */
.wide,pre{--behind:var(--back);overflow-x:auto;background:linear-gradient(90deg,var(--behind) 30%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(270deg,var(--behind) 30%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(90deg,var(--soft),transparent) 0 0/.75rem 100% no-repeat scroll,linear-gradient(270deg,var(--soft),transparent) 100% 0/.75rem 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;margin:.75rem 0;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft)}
tbody th{font-weight:400;color:var(--text)}
td.id{overflow-wrap:anywhere;min-width:20.5rem}
td.cause{overflow-wrap:anywhere;min-width:12rem}
td.time{white-space:nowrap}
.number{text-align:right;width:1%;white-space:nowrap}
.small table{width:auto}
.small th:first-child{width:11rem}
.small .number{width:5rem}
.small .cause{padding-left:1.5rem}
.small td.cause{min-width:0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
pre{--behind:var(--panel);background-color:var(--panel);border:1px solid var(--line);border-radius:.375rem;padding:.5rem .75rem;margin:.25rem 0 1rem;white-space:pre}
footer{padding:1.5rem 1.25rem 2rem;font-size:.875rem}
@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}td.id{min-width:10rem}.small th:first-child{width:10.25rem}.small .number{width:3.75rem}.small .cause{padding-left:.75rem}h1{font-size:1.4rem}}
@media print{:root{color-scheme:light;--text:#000;--soft:#444;--back:#fff;--panel:#fff;--line:#bbb;--good:#1a7f37;--warn:#9a6700;${LIGHT}}body{font-size:11pt}header{padding-top:0}pre{white-space:pre-wrap}h2,h3{break-after:avoid}figure,pre,tr,dl{break-inside:avoid}thead{display:table-header-group}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
