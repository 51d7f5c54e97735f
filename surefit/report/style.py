"""The style sheet of the report: system fonts, both color schemes, wide and narrow screens, and paper.

Tables need 56rem; on a narrower screen each row becomes a card whose cells name themselves. On paper all fits one page
width, nothing scrolls, and what is folded away stays a line. Colors of text keep a contrast of 4.5 to what is behind
them, marks and the ring of the focus one of 3 (WCAG 2.2, AA).
"""

from __future__ import annotations

LIGHT = {
    "ink": "#22262c",
    "soft": "#59616c",
    "line": "#dfe3e8",
    "page": "#fbfbfa",
    "card": "#ffffff",
    "blue": "#2a6cab",
    "good": "#1a7544",
    "bad": "#b3261e",
    "tint": "#edf3f9",
}
DARK = {
    "ink": "#e4e6ea",
    "soft": "#a3abb6",
    "line": "#343a43",
    "page": "#15181c",
    "card": "#1c2026",
    "blue": "#6db1f0",
    "good": "#5fcf94",
    "bad": "#ff8f86",
    "tint": "#22303d",
}


def _colors(scheme: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in scheme.items())


BASE = """
*{box-sizing:border-box}
html{font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:74rem;padding:2.6rem 1.5rem 4rem;background:var(--page);color:var(--ink);
overflow-wrap:break-word}
h1{font-size:clamp(1.35rem,.9rem + 2vw,2.1rem);line-height:1.25;margin:.2rem 0 0;max-width:56rem;
letter-spacing:-.015em;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1.35rem;margin:3rem 0 .6rem;letter-spacing:-.01em;scroll-margin-top:1rem}
h3{font-size:1rem;line-height:1.4;margin:1.4rem 0 .4rem;overflow-wrap:anywhere}
p{margin:.4rem 0 1rem;max-width:50rem}
ul{padding-left:1.2rem;margin:.4rem 0 1rem;max-width:56rem}
small{display:block;font-size:.82rem;font-weight:400;color:var(--soft);line-height:1.45;overflow-wrap:anywhere}
a{color:var(--blue)}
:focus-visible{outline:3px solid var(--blue);outline-offset:2px;border-radius:.2rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.6rem;background:var(--card);padding:.5rem .8rem;z-index:2}
.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}
header>p.soft{margin:0}
.verdict{font-size:1.08rem}
.alarm{list-style:none;padding:.8rem 1.1rem;margin:1.2rem 0 0;border:1px solid var(--bad);border-left-width:.35rem;
border-radius:.5rem;background:var(--card)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;padding:0;margin:1.2rem 0 0;max-width:none}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
"""

CARDS = """
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,14rem),1fr));gap:1rem;margin:1.6rem 0 0;
padding:0}
.card{min-width:0;background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:.9rem 1.1rem}
.card dt{color:var(--soft);font-size:.82rem;margin:0}
.card dd{margin:0;overflow-wrap:anywhere;font-size:1.15rem;font-weight:600;line-height:1.35;
font-variant-numeric:tabular-nums}
.cards.small{grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr));margin:1rem 0}
.cards.small dd{font-size:1.05rem}
.grades{margin:1rem 0;display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.2rem;max-width:60rem}
.grades dt{font-weight:600;font-size:.9rem}
.grades dd{margin:0}
"""

TABLES = """
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.92rem;line-height:1.4;
font-variant-numeric:tabular-nums}
table.wide{background:var(--card);border:1px solid var(--line);border-radius:.7rem;margin:1rem 0}
th,td{padding:.5rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
tbody tr:last-child>*{border-bottom:0}
thead th{color:var(--soft);font-weight:500;font-size:.82rem;vertical-align:bottom;overflow-wrap:normal}
table.columns th.n{white-space:nowrap}
tbody th{font-weight:600;min-width:9rem}
td.n,th.n{text-align:right}
td.n{white-space:nowrap}
tr.best>*{background:var(--tint)}
.tag{font-size:.72rem;font-weight:600;color:var(--blue);border:1px solid currentColor;border-radius:1rem;
padding:.05rem .5rem;margin-left:.3rem;white-space:nowrap}
td.bar{width:18%}
td.cert{overflow-wrap:normal}
.range{position:relative;display:block;min-width:8rem;height:1.4rem}
.range>*{position:absolute}
.range i{top:.53rem;height:.34rem;border-radius:.2rem;background:var(--blue);opacity:.4}
.range b{top:.39rem;width:.62rem;height:.62rem;margin-left:-.31rem;border-radius:50%;background:var(--blue)}
.range s{top:0;bottom:0;width:0;border-left:1px dashed var(--soft)}
.range em{left:0;top:0;font-style:normal;color:var(--soft)}
@media screen and (max-width:56rem){
table.wide thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.wide,table.wide tbody{display:block}
table.wide tr{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;padding:.7rem .9rem;border-bottom:1px solid var(--line)}
table.wide tr:last-child{border-bottom:0}
table.wide tr.best{background:var(--tint);border-radius:.7rem .7rem 0 0}
table.wide tr.best>*{background:none}
table.wide tr>*{display:block;border:0;padding:0;min-width:0;text-align:left;white-space:normal}
table.wide tbody th{flex:1 1 55%}
table.wide td.score{flex:0 1 auto;font-weight:600;margin-left:auto;text-align:right}
table.wide td.bar{flex:1 1 100%}
table.wide td.none{display:none}
table.wide td[data-label]{font-size:.85rem}
table.wide td[data-label]::before{content:attr(data-label) " ";color:var(--soft)}
table.wide td small{display:inline;padding-left:.4rem}
}
"""

FOLDED = """
details{background:var(--card);border:1px solid var(--line);border-radius:.7rem;margin:.6rem 0}
summary{cursor:pointer;padding:.6rem 1.1rem;font-weight:600;overflow-wrap:anywhere}
summary span{font-weight:400;font-size:.92rem}
details[open]>summary{border-bottom:1px solid var(--line)}
details>p,details>ul{padding:0 1.1rem;margin:.7rem 0;max-width:60rem}
details.quiet{border:0;background:none;margin:0}
details.quiet>summary{padding:.2rem 0;border:0;font-weight:500}
details.quiet>ul{padding-left:1.2rem}
.line{padding:0 1.1rem}
.claims{list-style:none}
.claims li{margin:.5rem 0;padding-left:1.5rem;position:relative}
.claims li>span:first-child{position:absolute;left:0}
.num{display:block;font-size:.88rem;font-variant-numeric:tabular-nums}
pre{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem 1.2rem;white-space:pre-wrap;
overflow-wrap:anywhere;font:.86rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{font:inherit}
"""

PICTURES = """
.pictures{columns:2 24rem;column-gap:1.2rem}
figure{margin:0 0 1.2rem;break-inside:avoid;background:var(--card);border:1px solid var(--line);border-radius:.7rem;
padding:1rem 1.1rem}
figure h3{margin:0}
figure img{display:block;width:100%;height:auto;margin:.5rem auto .3rem}
figcaption{color:var(--soft);font-size:.88rem}
@media (max-width:30rem){body{padding:1.4rem .9rem 3rem}.cards{gap:.6rem}.card{padding:.7rem .8rem}
.cards,.cards.small{grid-template-columns:repeat(auto-fit,minmax(min(100%,9.5rem),1fr))}figure{padding:.8rem .7rem}
.grades{grid-template-columns:1fr;gap:0}.grades dd{margin-bottom:.6rem}}
"""

PAPER = """
@media print{
@page{margin:14mm 12mm}
html{font-size:10.5px;line-height:1.45}
body{max-width:none;padding:0;background:none}
nav,.skip,footer{display:none}
h2{margin:1.8rem 0 .4rem;break-after:avoid}h3,summary{break-after:avoid}
p,ul,details>p,details>ul{max-width:none}
.cards{grid-template-columns:repeat(4,1fr);gap:.6rem}
.pictures{columns:2;column-gap:.8rem}figure{margin-bottom:.8rem}
tr,li,.card,figure{break-inside:avoid}
th,td{padding:.25rem .5rem}
details{margin:.25rem 0}summary{padding:.25rem .8rem;list-style:none}
summary::-webkit-details-marker{display:none}
.card,table.wide,details,figure,pre{border-radius:.3rem}
.range i,.range b,tr.best>*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""

STYLE = (
    f":root{{color-scheme:light dark;{_colors(LIGHT)}}}\n"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_colors(DARK)}}}}}"
    f"{BASE}{CARDS}{TABLES}{FOLDED}{PICTURES}{PAPER}"
)
