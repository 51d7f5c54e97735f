"""The style sheet of the report: system fonts, one column, both colour schemes, readable on paper."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--ink:#22262c;--soft:#5d6570;--line:#dfe3e8;--page:#fbfbfa;--card:#ffffff;
--blue:#2f78bd;--good:#1a7f4b;--bad:#b3261e;--tint:#2f78bd14}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--soft:#9aa3ae;--line:#343a43;--page:#15181c;--card:#1c2026;
--blue:#6db1f0;--good:#5fcf94;--bad:#ff8f86;--tint:#6db1f01c}}
*{box-sizing:border-box}
html{font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink)}
main{max-width:66rem;margin:0 auto;padding:3rem 1.5rem 5rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.015em}
h2{font-size:1.3rem;margin:3.2rem 0 .4rem;letter-spacing:-.01em}
h3{font-size:1rem;margin:0}
p{margin:.4rem 0 1rem;max-width:46rem}
.soft{color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}
.nowrap{white-space:nowrap}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem;margin:1.8rem 0 0;padding:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem 1.2rem}
.card dt{color:var(--soft);font-size:.82rem;margin:0}
.card dd{margin:0;overflow-wrap:anywhere;font-size:1.25rem;font-weight:600;line-height:1.35;
font-variant-numeric:tabular-nums}
.card dd small{display:block;font-size:.82rem;font-weight:400;color:var(--soft);line-height:1.4}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.7rem;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{padding:.5rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:last-child td,tbody tr:last-child th{border-bottom:0}
thead th{color:var(--soft);font-weight:500;font-size:.82rem;white-space:nowrap}
tbody th{font-weight:600;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}
tr.best{background:var(--tint)}
.tag{font-size:.72rem;font-weight:600;color:var(--blue);border:1px solid currentColor;border-radius:1rem;
padding:.05rem .5rem;margin-left:.5rem;vertical-align:.08rem}
.range{position:relative;display:block;width:6rem;height:1.5rem}
.range i{position:absolute;top:.58rem;height:.34rem;border-radius:.2rem;background:var(--blue);opacity:.35}
.range b{position:absolute;top:.44rem;width:.62rem;height:.62rem;margin-left:-.31rem;border-radius:50%;
background:var(--blue)}
details{background:var(--card);border:1px solid var(--line);border-radius:.7rem;margin:.6rem 0;overflow:hidden}
summary{cursor:pointer;padding:.7rem 1.1rem;font-weight:600}
summary span{font-weight:400}
details[open] summary{border-bottom:1px solid var(--line)}
details .scroll{border:0;border-radius:0;margin:0}
details p{padding:0 1.1rem;margin:.7rem 0}
figure{margin:1.2rem 0 0;background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1.1rem 1.2rem}
figure img{display:block;width:100%;height:auto;margin:.6rem auto .2rem}
figcaption{color:var(--soft);font-size:.88rem;max-width:46rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:1.2rem;align-items:start}
.pictures figure{margin:0}
@media (max-width:32rem){.pictures{grid-template-columns:1fr}}
pre{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem 1.2rem;overflow-x:auto;
font:.86rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
ul{padding-left:1.2rem;margin:.4rem 0 1rem}
footer{margin-top:3.5rem;color:var(--soft);font-size:.85rem}
@media print{main{padding:0;max-width:none}details{break-inside:avoid}figure{break-inside:avoid}}
"""
